"""Whether higher is better, by the names of metrics as libraries and leaderboards write them."""

import pytest

from benchbook.comparison.given.direction import direction

HIGHER = """
acc, accuracy, Accuracy (%), test_acc, val_accuracy, acc_norm, exact_match,
exact_match,strict-match, em, f1, macro_f1, F1-score, micro avg f1, f1@10, auc, roc_auc, ROC AUC,
auroc, auprc, average_precision, mAP, mAP@50, ndcg@10, recall@5, precision@1, balanced_accuracy,
mcc, matthews_corrcoef, cohen_kappa, r2, R^2, r_squared, explained_variance,
d2_absolute_error_score, neg_mean_squared_error, neg_log_loss, neg_brier_score,
neg_root_mean_squared_error, mIoU, nDCG@10, BERTScore, PR-AUC, top1_acc, R2_score, adj_r2, bleu,
sacrebleu, rougeL, rouge-1, chrf++, meteor, comet, bertscore, pass@1, pass_rate, win_rate,
success_rate, correct, num_correct, is_correct, answer_correctness, reward, mean_return,
episode_reward, log_likelihood, marginal_likelihood, elpd_loo, elbo, dice, IoU, mean_iou, psnr,
ssim, spearmanr, pearson, kendall_tau correlation, rank_ic, recip_rank, mrr, answer_relevancy,
faithfulness, helpfulness, c_index, concordance_index, silhouette_score, sensitivity, specificity,
true_positive_rate, nse, kge, deviance_explained, skill_score, power, negative_predictive_value,
hit_rate, hits@10, solved, elo
"""
LOWER = """
error, error_rate, test_error, err, loss, val_loss, log_loss, logloss, cross_entropy, nll, NLPD,
rmse, RMSE (m), mse, mae, mean_absolute_error, mape, sMAPE, MASE, wape, rmsle, brier, brier_score,
crps, mean_crps, pinball_loss, quantile_loss, interval_score, energy_score, winkler, perplexity,
word_perplexity, ppl, bits_per_byte, bpb, wer, cer, ter, regret, deviance, mean_poisson_deviance,
max_error, hinge_loss, hamming_loss, misclassification, zero_one_loss, false_positive_rate, fpr,
miss_rate, fid, kl_divergence, toxicity_score, hallucination_rate, incorrect, mismatch, failures,
ece, expected_calibration_error, 1 - auc, 1-accuracy, latency, eer, davies_bouldin_score,
average_rank, surprisal, wasserstein_distance, neg_log_likelihood, negative log likelihood, one
minus F1, top-5 error, WER (%), LogLoss, BPC, MRE error, test/loss, metrics.rmse, mean_test_error
"""
ASKED = """
score, value, metric, result, estimate, output, x, gain, accuracy_gap, error_reduction, acc_stderr,
f1_std, rmse_difference, time_to_accuracy, false_accuracy, accuracy_loss, step, coverage, length,
width, size, ratio, temperature
"""


def names(text):
    """One name a comma; lm-eval's has a comma of its own, without a space."""
    return " ".join(text.split()).split(", ")


@pytest.mark.parametrize(("text", "higher"), [(HIGHER, True), (LOWER, False), (ASKED, None)])
def test_the_direction_is_read_from_whole_words_and_else_asked(text, higher):
    wrong = {
        name.strip(): found
        for name in names(text)
        if (found := direction(name.strip())) is not higher
    }
    assert not wrong
