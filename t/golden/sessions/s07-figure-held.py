import matplotlib.pyplot as plt

fig, ax = plt.subplots()
ax.plot([1, 2])
plt.close(fig)
# %%
ax.set_title("later")
fig
# %%
fig.set_size_inches(3, 2)
display(fig)
