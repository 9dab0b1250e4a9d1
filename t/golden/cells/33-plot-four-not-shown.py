import matplotlib.pyplot as plt

for i in range(4):
    plt.figure(figsize=(2 + i, 2))
    plt.plot([0, i + 1])
