import matplotlib.pyplot as plt

fig, ax = plt.subplots()
ax.plot([2, 1])
fig.show()
print("shown")
