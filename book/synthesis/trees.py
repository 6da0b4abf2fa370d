from sklearn.ensemble import ExtraTreesRegressor

from benchbook.methods import from_estimator

trees = from_estimator("twenty-trees", ExtraTreesRegressor(20, min_samples_leaf=3))
