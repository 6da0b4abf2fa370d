# Guesses the mean of the training targets: awk -f mean.awk TRAIN TEST GUESS
BEGIN { guess = ARGV[3]; ARGV[3] = "" }
NR == FNR { sum += $NF; count++; next }
{ print sum / count > guess }
