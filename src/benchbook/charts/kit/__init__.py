"""What every chart is made with: colours, shapes, data, descriptions, words, legends, and how a chart is put out."""
