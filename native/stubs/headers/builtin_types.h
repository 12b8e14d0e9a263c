/* CUPTI's headers include it, and the parts that are compared need nothing of it. */
