import { testSharedCases } from '../support/reader-cases.ts'

testSharedCases('sellers', 'sellers-json')
