import matplotlib.pyplot as plt

plt.pie([30, 70], labels=["no", "yes"], autopct="%d%%")
plt.title("votes")
plt.show()
