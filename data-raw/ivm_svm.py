# Support vector machines of the digits of one run, for data-raw/ivm-svm.R:
#
#   python3 data-raw/ivm_svm.py FOLDER
#
# The solver is LIBSVM as scikit-learn contains it, for dense rows. FOLDER holds task.json (digits,
# columns, costs, widths g, megabytes of the cache) and, for each of the sets select, judge, train
# and test, NAME_x with the rows as 8-byte numbers and NAME_y with the digits as 4-byte integers.
# Cost and g of each digit are those with the fewest errors on judge after training on select; among
# equals the smallest cost, and the smallest g, are taken. The machine of train is then asked for
# the signed distances of the rows of test. The script writes chosen.json and DIGIT_score, 8-byte
# numbers.
import json
import sys
import time

import numpy as np
from sklearn.svm import SVC

folder = sys.argv[1]
task = json.load(open(folder + "/task.json"))


def rows_of(name):
    x = np.fromfile(folder + "/" + name + "_x").reshape((-1, task["columns"]))
    return x, np.fromfile(folder + "/" + name + "_y", dtype=np.int32)


def squared_distances(a, b):
    squares = (a * a).sum(1)[:, None] + (b * b).sum(1)[None, :]
    return np.maximum(squares - 2 * a @ b.T, 0)


def gamma_of(g):
    return g / (2 * task["columns"])


# The kernel matrices of a width serve all digits and costs.
select_x, select_y = rows_of("select")
judge_x, judge_y = rows_of("judge")
within, between = squared_distances(select_x, select_x), squared_distances(judge_x, select_x)
candidates = {digit: [] for digit in task["digits"]}
for g in task["widths"]:
    kernel, kernel_judge = np.exp(-gamma_of(g) * within), np.exp(-gamma_of(g) * between)
    for digit in candidates:
        for cost in task["costs"]:
            machine = SVC(C=cost, kernel="precomputed", cache_size=task["cache"])
            machine.fit(kernel, select_y == digit)
            error = float(np.mean(machine.predict(kernel_judge) != (judge_y == digit)))
            candidates[digit].append((error, cost, g))
del within, between, kernel, kernel_judge

train_x, train_y = rows_of("train")
test_x, test_y = rows_of("test")
chosen = []
for digit in candidates:
    error, cost, g = min(candidates[digit])
    machine = SVC(C=cost, gamma=gamma_of(g), cache_size=task["cache"])
    start = time.process_time()
    machine.fit(train_x, train_y == digit)
    seconds = time.process_time() - start
    score = machine.decision_function(test_x)
    score.tofile(folder + "/" + str(digit) + "_score")
    found = {"class": str(digit), "cost": cost, "g": g, "judged": error, "seconds": seconds}
    found["d"] = int(machine.n_support_.sum())
    chosen.append(found)
json.dump(chosen, open(folder + "/chosen.json", "w"))
