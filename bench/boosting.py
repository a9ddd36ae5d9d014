# Boosted trees, for bench/cases/boosting.R:
#
#   python3 bench/boosting.py FOLDER ENGINE
#
# ENGINE is xgboost or histogram, with their default settings, or slow-xgboost: 300 trees of depth 5
# at rate 0.05.
#
# FOLDER holds task.json (rows, columns, classes, test rows) and the numbers of train_x, train_y and
# test_x in column order, as 8-byte numbers; classes are 0, 1, ... The script writes the predictions
# for the test rows and measured.json, what the fit alone took, into the same folder.
import json
import resource
import sys
import time

import numpy as np

folder, engine = sys.argv[1:3]
task = json.load(open(folder + "/task.json"))


def table(name, rows, columns):
    return np.fromfile(folder + "/" + name).reshape((rows, columns), order="F")


x = table("train_x", task["rows"], task["columns"])
y = np.fromfile(folder + "/train_y")
test = table("test_x", task["test_rows"], task["columns"])
classes = task["classes"] > 0

if engine.endswith("xgboost"):
    import xgboost

    settings = {"n_jobs": 1}
    if engine == "slow-xgboost":
        settings.update(n_estimators=300, learning_rate=0.05, max_depth=5)
    model = xgboost.XGBClassifier(**settings) if classes else xgboost.XGBRegressor(**settings)
else:
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    model = HistGradientBoostingClassifier() if classes else HistGradientBoostingRegressor()

cpu, wall = time.process_time(), time.time()
model.fit(x, y.astype(int) if classes else y)
measured = {"cpu": time.process_time() - cpu, "wall": time.time() - wall}
measured["peak"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
said = model.predict_proba(test) if classes else model.predict(test)
np.asarray(said, dtype="float64").flatten(order="F").tofile(folder + "/said")
json.dump(measured, open(folder + "/measured.json", "w"))
