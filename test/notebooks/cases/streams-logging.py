# Logging and warnings go to stderr.
import logging, warnings
logging.basicConfig(format="%(levelname)s:%(message)s", level=logging.INFO)
logging.info("informed")
logging.warning("warned")
# %%
warnings.formatwarning = lambda message, category, *rest: f"{category.__name__}: {message}\n"
warnings.warn("be careful")
warnings.warn("old", DeprecationWarning)
# %%
logger = logging.getLogger("mine")
handler = logging.StreamHandler()
handler.setFormatter(logging.Formatter("[%(name)s] %(message)s"))
logger.addHandler(handler)
logger.propagate = False
logger.error("own handler")
