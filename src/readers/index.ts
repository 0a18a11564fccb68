import { AD_NETWORK_READER } from './ad-network/read.ts'
import { ADS_TXT_READER } from './ads-txt/capture.ts'
import { CHANGE_READER } from './change/version.ts'
import { CRAWLER_ACCESS_READER } from './crawler-access/read.ts'
import type { Reader } from './reader.ts'
import { ROBOTS_READERS } from './robots/capture.ts'
import { SELLERS_JSON_READER } from './sellers-json/capture.ts'

/** Every reader of captures that takes part in a night, each at its newest version. */
export const READERS: readonly Reader[] = [
  ADS_TXT_READER,
  SELLERS_JSON_READER,
  AD_NETWORK_READER,
  CHANGE_READER,
  CRAWLER_ACCESS_READER,
]

/**
 * Every reader that can still be run, older versions beside the newest: what a claim was once made
 * with must be there to make it again. A reader that changes leaves its old version here.
 */
export const READER_VERSIONS: readonly Reader[] = [...READERS, ...ROBOTS_READERS]
