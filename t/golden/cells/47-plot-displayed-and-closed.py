import matplotlib.pyplot as plt

fig, ax = plt.subplots(figsize=(3, 2), dpi=150)
ax.plot([1, 2])
display(fig)
plt.close(fig)
print(plt.get_fignums())
