import type { FaultMeaning } from './fault.ts'

/** What went wrong on the way to the file (ads.txt 1.1 §3.1, §3.2). */
export const FETCH_FAULTS = {
  H_404: {
    severity: 'info',
    says: 'There is no such file: the site declares nothing, and nobody is unauthorised.',
  },
  H_401: { severity: 'warning', says: 'The file is behind a login; the site must be asked.' },
  H_STATUS: { severity: 'error', says: 'The server answered with an error.' },
  H_TIMEOUT: { severity: 'error', says: 'The server did not answer in time.' },
  H_NETWORK: { severity: 'error', says: 'The server could not be reached.' },
  H_CONTENT_TYPE: {
    severity: 'error',
    says: 'The file is not served as text/plain, so readers must ignore it.',
  },
  H_ENCODING: { severity: 'error', says: 'The content coding of the answer could not be undone.' },
  H_TRUNCATED: { severity: 'error', says: 'The file is larger than what is read of it.' },
  H_NOT_ROOT: {
    severity: 'error',
    says: 'The file was not asked for at the root domain, where it has to begin.',
  },
  H_REDIRECT_SECOND_HOP: {
    severity: 'error',
    says: 'A third party redirects on; only one redirect may leave the root domain.',
  },
  H_TOO_MANY_REDIRECTS: { severity: 'error', says: 'The redirects do not come to an end.' },
  H_REDIRECT_NO_LOCATION: { severity: 'error', says: 'The redirect does not say where to.' },
  H_REDIRECT_BAD_LOCATION: { severity: 'error', says: 'The redirect leads to no web address.' },
  H_REDIRECT_REFUSED: { severity: 'error', says: 'The redirect was not followed.' },
  H_REDIRECT_STATUS: {
    severity: 'info',
    says: 'The redirect has a status that ads.txt 1.1 does not list (it lists 301, 302, 307).',
  },
} as const satisfies Readonly<Record<string, FaultMeaning>>

export type FetchFaultCode = keyof typeof FETCH_FAULTS
