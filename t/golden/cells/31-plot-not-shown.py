import matplotlib.pyplot as plt

plt.plot([1, 3, 2])
plt.xlabel("Time (s)")
print("no show")
