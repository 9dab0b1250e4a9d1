import matplotlib.pyplot as plt
from PIL import Image

fig, ax = plt.subplots()
ax.plot([1, 2], lw=9)
plt.show()
fig.savefig("/tmp/fig.png")
print(Image.open("/tmp/fig.png").size, len(Image.open("/tmp/fig.png").getcolors(99999)) > 9)
