import matplotlib.pyplot as plt

data = [[1, 2, 3, 4, 20], [2, 3, 4, 5, 6]]
plt.boxplot(data, tick_labels=["a", "b"], patch_artist=True)
plt.title("spread")
plt.show()
