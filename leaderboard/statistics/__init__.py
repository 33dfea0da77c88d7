"""What stands behind each number: pure numpy and scipy, frozen dataclasses in and out, no Django.

resampling      the cluster bootstrap as matrix products; labels to codes
intervals       Interval; means over problems (Wilson, bootstrap, t)
aggregates      totals, means over subsets, any function of sums
ratios          F1, precision, recall, yes_ratio: parts by sample, intervals, bounds, pairs
comparisons     all pairs of a board, one pair, one pair by slice
corrections     Holm, Benjamini-Hochberg
ranks           shared ranks, rank intervals, tiers
coverage        scored of planned, bounds, why a value is not ranked
exams           sittings, medals, the medal table
curves          pass@k, pass^k, best@k, maj@k over k; Kendall's tau; EED's efficiency and bands
votes           battles as arrays, connectivity, battles from scores
bradley_terry   maximum likelihood for many resamples at once; sandwich covariance
ratings         the rating table
style           ratings with style held equal
voters          anomaly scores and quarantine
agreement       two raters: kappa, weighted kappa, signed error, Pearson; the report on a judge
reliability     several raters: Krippendorff's alpha, flip rate, largest disagreements
corrected       the mean corrected by a random sample of reviews
"""
