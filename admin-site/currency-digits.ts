/**
 * The digits of the minor units that do not have two (ISO 4217). They do not come from `Intl`, whose display digits differ from ISO 4217
 * for some currencies and change with the version of the browser: the forint has two digits, but new browsers display none.
 */
const DIGITS: ReadonlyMap<string, number> = new Map(
  Object.entries({
    BIF: 0,
    CLP: 0,
    DJF: 0,
    GNF: 0,
    ISK: 0,
    JPY: 0,
    KMF: 0,
    KRW: 0,
    PYG: 0,
    RWF: 0,
    UGX: 0,
    UYI: 0,
    VND: 0,
    VUV: 0,
    XAF: 0,
    XOF: 0,
    XPF: 0,
    BHD: 3,
    IQD: 3,
    JOD: 3,
    KWD: 3,
    LYD: 3,
    OMR: 3,
    TND: 3,
    CLF: 4,
    UYW: 4,
  }),
);

/** The number of digits of a currency's minor unit. */
export const minorDigits = (currency: string): number => DIGITS.get(currency) ?? 2;
