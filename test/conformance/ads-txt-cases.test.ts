import { testSharedCases } from '../support/reader-cases.ts'

testSharedCases('parse', 'ads-txt')
testSharedCases('http', 'ads-txt')
testSharedCases('cross', 'cross')
testSharedCases('change', 'change')
