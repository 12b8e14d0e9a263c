/* CUPTI's headers include it, but the compared parts need nothing from it. */
