-- The codes that columns allow, for long lists of codes. A check that contains the list is parsed at every
-- statement that writes to its table, which takes longer than the write; a function keeps its plan.

-- The same codes as in `comicsdb.models.currencies`.
CREATE FUNCTION is_currency(code text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
    RETURN code = ANY ('{
        ADP, AED, AFA, AFN, ALK, ALL, AMD, ANG, AOA, AOK, AON, AOR, ARA, ARP, ARS, ATS, AUD, AWG, AZM, AZN, BAD, BAM,
        BBD, BDT, BEF, BGL, BGN, BHD, BIF, BMD, BND, BOB, BOP, BRB, BRC, BRE, BRL, BRN, BRR, BSD, BTN, BUK, BWP, BYB,
        BYN, BYR, BZD, CAD, CDF, CHF, CLP, CNY, COP, CRC, CSD, CSK, CUC, CUP, CVE, CYP, CZK, DDM, DEM, DJF, DKK, DOP,
        DZD, ECS, EEK, EGP, ERN, ESP, ETB, EUR, FIM, FJD, FKP, FRF, GBP, GEK, GEL, GHC, GHS, GIP, GMD, GNF, GNS, GQE,
        GRD, GTQ, GWE, GWP, GYD, HKD, HNL, HRD, HRK, HTG, HUF, IDR, IEP, ILP, ILR, ILS, INR, IQD, IRR, ISJ, ISK, ITL,
        JMD, JOD, JPY, KES, KGS, KHR, KMF, KPW, KRW, KWD, KYD, KZT, LAK, LBP, LKR, LRD, LSL, LTL, LTT, LUF, LVL, LVR,
        LYD, MAD, MDL, MGA, MGF, MKD, MLF, MMK, MNT, MOP, MRO, MRU, MTL, MTP, MUR, MVR, MWK, MXN, MXP, MYR, MZE, MZM,
        MZN, NAD, NGN, NIC, NIO, NLG, NOK, NPR, NZD, OMR, PAB, PEI, PEN, PES, PGK, PHP, PKR, PLN, PLZ, PTE, PYG, QAR,
        RHD, ROL, RON, RSD, RUB, RUR, RWF, SAR, SBD, SCR, SDD, SDG, SDP, SEK, SGD, SHP, SIT, SKK, SLE, SLL, SOS, SRD,
        SRG, SSP, STD, STN, SUR, SVC, SYP, SZL, THB, TJR, TJS, TMM, TMT, TND, TOP, TPE, TRL, TRY, TTD, TWD, TZS, UAH,
        UAK, UGS, UGX, USD, UYP, UYU, UZS, VEB, VED, VEF, VES, VND, VUV, WST, XAF, XCD, XCG, XOF, XPF, YDD, YER, YUD,
        YUM, YUN, ZAR, ZMK, ZMW, ZRN, ZRZ, ZWD, ZWG, ZWL, ZWR
    }'::text[]);
END
$$;

-- The same codes as in `comicsdb.models.choices`; '' means an unknown language.
CREATE FUNCTION is_language(code text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
    RETURN code = '' OR code = ANY ('{
        af, ar, ar-dz, ast, az, be, bg, bn, br, bs, ca, ckb, cs, cy, da, de, dsb, el, en, en-au, en-gb, eo, es, es-ar,
        es-co, es-mx, es-ni, es-ve, et, eu, fa, fi, fr, fy, ga, gd, gl, he, hi, hr, hsb, ht, hu, hy, ia, id, ig, io, is,
        it, ja, ka, kab, kk, km, kn, ko, ky, lb, lt, lv, mk, ml, mn, mr, ms, my, nb, ne, nl, nn, os, pa, pl, pt, pt-br,
        ro, ru, sk, sl, sq, sr, sr-latn, sv, sw, ta, te, tg, th, tk, tr, tt, udm, ug, uk, ur, uz, vi, zh-hans, zh-hant
    }'::text[]);
END
$$;
