import matplotlib.pyplot as plt

plt.plot([1, 2])
plt.show()
plt.show()
print(plt.get_fignums())
plt.hist([1, 1, 2, 3, 3, 3], bins=3);
