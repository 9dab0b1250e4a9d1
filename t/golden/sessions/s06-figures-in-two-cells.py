import matplotlib.pyplot as plt

plt.plot([1, 2]);
# %%
print("none here", plt.get_fignums())
# %%
plt.plot([2, 1])
plt.title("second")
print(len(plt.gca().lines))
# %%
print(plt.get_fignums())
