import matplotlib.pyplot as plt

plt.bar(["apples", "pears"], [3, 5], color="green")
plt.ylabel("Weight (kg)")
plt.title("fruit")
plt.show()
