import { testSharedCases } from '../support/reader-cases.ts'

testSharedCases('network', 'ad-network')
