import matplotlib.pyplot as plt
import numpy as np

plt.imshow(np.eye(8), cmap="gray")
plt.colorbar()
plt.axis("off")
plt.show()
