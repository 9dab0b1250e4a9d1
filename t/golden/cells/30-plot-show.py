import matplotlib.pyplot as plt

plt.plot([1, 3, 2])
plt.title("t")
plt.show()
print("end")
