/** ads.txt 1.1 §3.2.1: a record for this name says that nobody is authorised. */
export const PLACEHOLDER_DOMAIN = 'placeholder.example.com'

/**
 * Names under which sites list an advertising system although the system calls itself otherwise:
 * misspellings, bare brand names and working host names, each with the name that counts.
 */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['adnxs.com', 'appnexus.com'],
  ['ib.adnxs.com', 'appnexus.com'],
  ['apnexus.com', 'appnexus.com'],
  ['appnexus', 'appnexus.com'],
  ['appnexus.net', 'appnexus.com'],
  ['critero.com', 'criteo.com'],
  ['criteo', 'criteo.com'],
  ['districtm', 'districtm.io'],
  ['districtm.ca', 'districtm.io'],
  ['doubleclick.com', 'google.com'],
  ['doubleclick.net', 'google.com'],
  ['adx', 'google.com'],
  ['adsense', 'google.com'],
  ['google', 'google.com'],
  ['go.sonobi.com', 'sonobi.com'],
  ['sonobi', 'sonobi.com'],
  ['index', 'indexexchange.com'],
  ['indexechange.com', 'indexexchange.com'],
  ['indexexchange', 'indexexchange.com'],
  ['indexexchnage.com', 'indexexchange.com'],
  ['openx', 'openx.com'],
  ['openx.net', 'openx.com'],
  ['pubmatic', 'pubmatic.com'],
  ['fastlane.rubiconproject.com', 'rubiconproject.com'],
  ['rubicon', 'rubiconproject.com'],
  ['rubicon.com', 'rubiconproject.com'],
  ['rubiconproject', 'rubiconproject.com'],
  ['smaato', 'smaato.com'],
  ['spx.smaato.com', 'smaato.com'],
  ['sovrn', 'sovrn.com'],
  ['meridian.sovrn.com', 'sovrn.com'],
  ['teads', 'teads.tv'],
  ['teads.com', 'teads.tv'],
  ['triplelift', 'triplelift.com'],
])

/** The name the system uses for itself, if `domain` is a known other one. */
export const canonicalSystem = (domain: string): string | undefined => ALIASES.get(domain)

/** Google Ad Manager help 9422220: `pub-` and 16 digits, no `ca-` before it; zeros are the sample. */
export const isGoogleAccount = (account: string): boolean =>
  /^pub-\d{16}$/.test(account) && account !== 'pub-0000000000000000'
