import manifest from '../../package.json' with { type: 'json' }

/** `crawl-ledger/0.1.0`: how events name the program. */
export const softwareVersion = (): string => `${manifest.name}/${manifest.version}`
