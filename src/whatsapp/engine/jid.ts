/** The network's addresses: taken apart, put together, told apart. */
export { isHostedLidUser, isHostedPnUser, isLidUser, isPnUser, jidDecode, jidEncode, jidNormalizedUser } from 'baileys';
