/** What a codec is made of, for those who describe codecs or generate values of them. */
import { ListType, t } from '../src/kernel/codec.ts'

export type CodecShape =
  | { readonly tag: 'record'; readonly fields: readonly (readonly [string, t.Mixed])[] }
  | { readonly tag: 'list'; readonly items: t.Mixed; readonly max: number }
  | { readonly tag: 'union'; readonly members: readonly t.Mixed[] }
  | { readonly tag: 'tuple'; readonly items: readonly t.Mixed[] }
  | { readonly tag: 'dictionary'; readonly key: t.Mixed; readonly value: t.Mixed }
  | { readonly tag: 'literal'; readonly value: string | number | boolean }
  | { readonly tag: 'leaf'; readonly name: string }

// io-ts types an instanceof as `any` inside; the guards say what its own constructors only accept.
const isExact = (c: t.Mixed): c is t.ExactType<t.Mixed> => c instanceof t.ExactType
const isRecord = (c: t.Mixed): c is t.InterfaceType<t.Props> => c instanceof t.InterfaceType
const isUnion = (c: t.Mixed): c is t.UnionType<t.Mixed[]> => c instanceof t.UnionType
const isTuple = (c: t.Mixed): c is t.TupleType<t.Mixed[]> => c instanceof t.TupleType
const isDictionary = (c: t.Mixed): c is t.DictionaryType<t.Mixed, t.Mixed> =>
  c instanceof t.DictionaryType
const isLiteral = (c: t.Mixed): c is t.LiteralType<string | number | boolean> =>
  c instanceof t.LiteralType
const isList = (c: t.Mixed): c is ListType<unknown, unknown> => c instanceof ListType

export const codecShape = (codec: t.Mixed): CodecShape => {
  if (isExact(codec)) return codecShape(codec.type)
  if (isRecord(codec)) return { tag: 'record', fields: Object.entries(codec.props) }
  if (isList(codec)) return { tag: 'list', items: codec.items, max: codec.max }
  if (isUnion(codec)) return { tag: 'union', members: codec.types }
  if (isTuple(codec)) return { tag: 'tuple', items: codec.types }
  if (isDictionary(codec)) return { tag: 'dictionary', key: codec.domain, value: codec.codomain }
  if (isLiteral(codec)) return { tag: 'literal', value: codec.value }
  return { tag: 'leaf', name: codec.name }
}
