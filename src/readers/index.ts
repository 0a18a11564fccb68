import { AD_NETWORK_READER } from './ad-network/read.ts'
import { ADS_TXT_READER } from './ads-txt/capture.ts'
import type { Reader } from './reader.ts'
import { SELLERS_JSON_READER } from './sellers-json/capture.ts'

/** Every reader of captures, each at its newest version. */
export const READERS: readonly Reader[] = [ADS_TXT_READER, SELLERS_JSON_READER, AD_NETWORK_READER]
