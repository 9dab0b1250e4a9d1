import matplotlib.pyplot as plt

plt.scatter([1, 2, 3], [4, 1, 3], label="points")
plt.xlabel("Length (m)")
plt.ylabel("Mass [kg]")
plt.legend()
plt.show()
