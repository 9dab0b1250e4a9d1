import matplotlib.pyplot as plt

fig, axes = plt.subplots(1, 2, figsize=(8, 3))
axes[0].plot([1, 4, 9], label="squares")
axes[0].legend()
axes[1].bar(["a", "b"], [3, 5])
fig.suptitle("both")
fig.tight_layout()
plt.show()
