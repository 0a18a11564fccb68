import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import { E } from '../../src/kernel/fp.ts'
import {
  formatInstant,
  InstantText,
  later,
  latest,
  parseInstant,
} from '../../src/kernel/instant.ts'
import { anyInstant, anyText } from '../support/arbitraries/kernel.ts'
import { right } from '../support/either.ts'
import { fc } from '../support/property.ts'

test('RFC3339: every moment prints to a text of 24 characters that reads as the moment', () => {
  fc.assert(
    fc.property(anyInstant, (moment) => {
      const text = formatInstant(moment)
      equal(text.length, 24)
      equal(right(InstantText.decode(text)), moment)
      equal(right(parseInstant('time', text)), moment)
    }),
  )
})

test('RFC3339: texts of moments sort as the moments do', () => {
  fc.assert(
    fc.property(anyInstant, anyInstant, (a, b) =>
      equal(formatInstant(a) < formatInstant(b), a < b),
    ),
  )
})

test('RFC3339: a time written in another zone is the same moment', () => {
  const minutes = fc.integer({ min: -23 * 60 - 59, max: 23 * 60 + 59 })
  const moments = fc.integer({ min: Date.UTC(1980, 0, 1), max: Date.UTC(2100, 0, 1) })
  fc.assert(
    fc.property(moments, minutes, (moment, offset) => {
      const wall = new Date(moment + offset * 60_000).toISOString().slice(0, -1)
      const two = (n: number): string => String(n).padStart(2, '0')
      const size = Math.abs(offset)
      const zone = `${offset < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`
      equal(right(parseInstant('time', `${wall}${zone}`)), moment)
    }),
  )
})

test('a text is a moment only if the moment prints as that text', () => {
  const near = fc.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)
  fc.assert(
    fc.property(fc.oneof(near, anyText(30)), (text) => {
      const decoded = InstantText.decode(text)
      if (E.isRight(decoded)) equal(formatInstant(decoded.right), text)
    }),
  )
})

test('RFC3339: a moment prints as Date prints it, and a text reads as Date reads it or not at all', () => {
  const two = (max: number) => fc.integer({ min: 0, max }).map((n) => String(n).padStart(2, '0'))
  const near = fc
    .tuple(fc.integer({ min: 0, max: 9_999 }), two(13), two(32), two(25), two(61), two(61))
    .map(([year, month, day, hour, minute, second]) => {
      const date = `${String(year).padStart(4, '0')}-${month}-${day}`
      return `${date}T${hour}:${minute}:${second}.${String(year % 1_000).padStart(3, '0')}Z`
    })
  fc.assert(
    fc.property(near, anyInstant, (text, moment) => {
      equal(formatInstant(moment), new Date(moment).toISOString())
      const date = new Date(text)
      const isReal = !Number.isNaN(date.getTime()) && date.toISOString() === text
      const decoded = InstantText.decode(text)
      equal(E.isRight(decoded), isReal)
      if (E.isRight(decoded)) equal(decoded.right, date.getTime())
    }),
  )
})

test('a wait never ends early and never leaves the years that can be written', () => {
  fc.assert(
    fc.property(anyInstant, fc.double({ noNaN: true }), (moment, wait) => {
      const due = later(moment, wait)
      equal(due >= moment, true)
      equal(formatInstant(due).length, 24)
      equal(latest(moment, due), due)
      if (wait >= 0 && wait < 1e12 && moment < 2e14) equal(due - moment >= wait, true)
    }),
  )
})
