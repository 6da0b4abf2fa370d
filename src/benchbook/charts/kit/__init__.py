"""What every chart is made with: colours, shapes, data, descriptions, legends, and how a chart is put out."""
