import matplotlib.pyplot as plt

for i in range(4):
    plt.figure()
    plt.plot([0, i + 1])
    plt.title(f"figure {i}")
    plt.show()
