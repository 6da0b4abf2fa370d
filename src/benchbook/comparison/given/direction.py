"""Whether a higher value of a metric is better, as its name says: by whole words, not at all where they disagree."""

from __future__ import annotations

import re

_HIGH_PHRASES = (
    "deviance explained",
    "explained deviance",
    "explained variance",
    "variance explained",
    "bits saved",
    "rank ic",
    "rank correlation",
    "reciprocal rank",
    "recip rank",
    "r squared",
    "r 2",
    "exact match",
    "log likelihood",
    "marginal likelihood",
    "pass rate",
    "concordance index",
    "c index",
    "c statistic",
    "inception score",
    "bert score",
    "silhouette score",
    "io u",
    "calinski harabasz",
    "negative predictive value",
    "true positive",
    "true negative",
    "d2 absolute error",
    "d2 pinball",
    "d2 log loss",
    "d2 brier",
)
_LOW_PHRASES = (
    "interval score",
    "energy score",
    "variogram score",
    "davies bouldin",
    "dawid sebastiani",
    "max error",
    "error rate",
    "cross entropy",
    "bits per",
    "nats per",
    "false positive rate",
    "false negative rate",
    "false discovery rate",
    "false alarm",
    "false alarms",
    "false positives",
    "false negatives",
    "miss rate",
    "mean rank",
    "average rank",
)
_HIGH = """
acc accuracy accuracies exact match matched matches matching em f1 f2 fbeta auc auroc auprc aucroc roc ap map
ndcg dcg mrr r2 bleu sacrebleu rouge rouge1 rouge2 rougel chrf meteor comet bleurt bertscore recall precision
sensitivity specificity tpr tnr ppv npv kappa mcc matthews reward rewards return returns pass passed passes win
wins won winrate success successes successful succeeded correct correctness correctly solved hit hits likelihood
loglikelihood logl elbo lpd elpd dice iou miou jaccard psnr ssim skill relevancy relevance similarity
faithfulness helpfulness groundedness concordance cindex nse kge power utility elo correlation pearson spearman
kendall pearsonr spearmanr completeness homogeneity purity silhouette ari nmi usefulness fluency
"""
_LOW = """
error errors err loss losses rmse rmsle mae mse msle mape smape mase wape wmape rmsse msse brier crps ppl
perplexity wer cer ter mer hter eer deviance regret pinball rank latency incorrect incorrectly inaccuracy
mismatch mismatched mismatches unmatched wrong failed fail fails failure failures nll nlpd nlp logloss
crossentropy xent bce bpb bpc toxicity toxic harmfulness harmful harm hallucination hallucinations hallucinated
kl fid kid fpr fnr fdr ece mce misclassification misclassified disagreement winkler surprisal residual residuals
distance divergence jsd wasserstein hamming hausdorff lpips violation violations crash crashes infidelity
discrepancy overfitting cost costs
"""
_TURNED = """
reduction reduced decrease decreased drop gap reversal difference diff delta change detection detected hacking
attack attacked adversarial recovery avoided avoidance free false non not no without lack steps time lower upper
min max std stdev sd se sem stderr var variance ci missed opportunity refusal
"""
"""Words beside which another word says nothing: a higher error reduction is better, a higher accuracy gap is not."""
SPREADS = """
std stdev sd se sem stderr var ci low high lower upper
"""


def tokens(name: str) -> list[str]:
    """The words of a name in lower case: ``exact_match@5``, ``TestF1`` and ``acc,none`` are split at every border."""
    parts = re.sub(r"([a-z\d])([A-Z])", r"\1 \2", name)
    return re.findall(r"[a-z]+\d*[a-z]*|\d+", parts.lower())


def direction(name: str) -> bool | None:
    """Whether higher is better; None where the name does not say, or says both."""
    words = tokens(name)
    if not words:
        return None
    turned = words[0] in ("neg", "negative", "minus") and words[1:2] != ["predictive"]
    turned |= bool(re.match(r"\s*(1|one)[\s_]*(-|minus)", name.lower()))
    if turned:
        words = [word for word in words[1:] if word != "minus"]
    text = f" {' '.join(words)} "
    signs = set()
    for phrases, high in ((_HIGH_PHRASES, True), (_LOW_PHRASES, False)):
        for phrase in phrases:
            if f" {phrase} " in text:
                signs.add(high)
                text = text.replace(f" {phrase} ", " ")
    rest = text.split()
    stems = {re.sub(r"\d+$", "", word) for word in rest} | set(rest)
    if stems & set(_TURNED.split()):
        return None
    signs |= {True} if stems & set(_HIGH.split()) else set()
    signs |= {False} if stems & set(_LOW.split()) else set()
    if len(signs) != 1:
        return None
    (high,) = signs
    return high != turned
