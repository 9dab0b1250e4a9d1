import matplotlib.pyplot as plt
from PIL import Image

plt.plot([1, 2], lw=9)
plt.show()
plt.savefig("/tmp/gcf.png")
print(len(Image.open("/tmp/gcf.png").getcolors(99999)) > 9)
plt.plot([3, 4])
plt.title("the second")
plt.show()
