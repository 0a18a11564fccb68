/**
 * RFC 9309, clause by clause, over our own small files. `RFC9309_` names a rule of the standard,
 * `HOUSE_` a choice it leaves open (docs/decisions/0010, 0011).
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { E } from '../../src/kernel/fp.ts'
import { type HttpUrl, parseHttpUrl } from '../../src/kernel/url.ts'
import { crawlDelayMs, decideRobots, type RobotsVerdict } from '../../src/robots/decide.ts'
import { FILE_OCTETS_MAX } from '../../src/robots/octet-file.ts'
import { readRobots } from '../../src/robots/read.ts'

const urlOf = (path: string): HttpUrl => {
  const url = parseHttpUrl(`https://shop.example${path}`)
  assert.ok(E.isRight(url), path)
  return url.right
}

type File = string | Uint8Array
const bytesOf = (file: File): Uint8Array => (typeof file === 'string' ? Buffer.from(file) : file)

const ask = (file: File, path: string, token = 'OurBot'): RobotsVerdict =>
  decideRobots(readRobots(bytesOf(file)), token, urlOf(path))

/** Line of the rule that forbids the path; 0 if it is allowed. */
const forbiddenBy = (file: File, path: string, token = 'OurBot'): number => {
  const { allowed, rule } = ask(file, path, token)
  return allowed ? 0 : (rule?.line ?? -1)
}

const allows = (file: File, path: string, token = 'OurBot'): void => {
  const verdict = ask(file, path, token)
  assert.equal(verdict.allowed, true, `${path} for ${token}: ${JSON.stringify(verdict)}`)
}

const forbids = (file: File, line: number, path: string, token = 'OurBot'): void =>
  assert.equal(forbiddenBy(file, path, token), line, `${path} for ${token}`)

const codesOf = (file: File): readonly string[] =>
  readRobots(bytesOf(file)).issues.map(({ line, code }) => `${line} ${code}`)

const lines = (...all: readonly string[]): string => all.map((line) => `${line}\n`).join('')

// --- 2.1, 2.2: lines and groups -------------------------------------------------------------------

test('RFC9309_2.2_keys_are_compared_without_regard_to_case', () => {
  forbids(lines('USER-AGENT: OurBot', 'dISALLOW: /'), 2, '/a')
})

test('RFC9309_2.2_white_space_is_space_and_tab_around_key_colon_and_value', () => {
  forbids('\t User-agent\t : \tOurBot \t\n \tDisallow \t:\t /a \t\n', 2, '/a')
  allows(lines('User-agent: OurBot', 'Disallow: /a\u00a0'), '/a')
  forbids(lines('User-agent: OurBot', 'Disallow: /a\u00a0'), 2, '/a%C2%A0b')
  allows(lines('User-agent:\u00a0OurBot', 'Disallow: /'), '/a')
})

test('RFC9309_2.2_a_number_sign_starts_a_comment_anywhere', () => {
  const file = lines('# top', 'User-agent: OurBot # us', 'Disallow: /a#b', '#Disallow: /c')
  forbids(file, 3, '/ab')
  allows(file, '/c')
})

for (const [name, end] of [
  ['LF', '\n'],
  ['CRLF', '\r\n'],
  ['CR', '\r'],
] as const) {
  test(`RFC9309_2.2_lines_end_with_${name}_and_are_counted_from_one`, () => {
    const file = ['User-agent: OurBot', '', '', 'Disallow: /a', ''].join(end)
    forbids(file, 4, '/a')
    allows(file, '/b')
  })
}

test('RFC9309_2.2_CR_CR_LF_is_two_line_ends', () => {
  forbids('User-agent: OurBot\r\r\nDisallow: /a\r\r\n', 3, '/a')
})

test('RFC9309_2.2_no_other_character_ends_a_line', () => {
  allows('User-agent: OurBot\nDisallow: /a\vDisallow: /b\fDisallow: /c\u2028Disallow: /d\n', '/b')
})

test('RFC9309_2.2_the_last_line_needs_no_line_end', () => {
  forbids('User-agent: OurBot\nDisallow: /a', 2, '/a')
})

test('RFC9309_2.1_a_group_is_agent_lines_then_rules_and_ends_at_the_next_agent_line', () => {
  const file = lines(
    'User-agent: OurBot',
    'User-agent: Friend',
    'Disallow: /a',
    'Allow: /a/b',
    'User-agent: Other',
    'Disallow: /',
  )
  for (const token of ['OurBot', 'Friend']) {
    forbids(file, 3, '/a', token)
    allows(file, '/c', token)
  }
  forbids(file, 6, '/c', 'Other')
})

test('RFC9309_2.1_blank_lines_and_comments_never_end_a_group (RC15)', () => {
  const file = lines('User-agent: OurBot', '', '# pages', '', 'Disallow: /a', '', 'Disallow: /b')
  forbids(file, 5, '/a')
  forbids(file, 7, '/b')
  const shared = lines('User-agent: OurBot', '', 'User-agent: Other', 'Disallow: /')
  forbids(shared, 4, '/a')
  assert.deepEqual(codesOf(shared), ['3 shared-group'])
  assert.deepEqual(codesOf(lines('User-agent: a', '# and', 'User-agent: b', 'Disallow: /')), [])
})

test('RFC9309_2.1_the_last_group_may_have_no_rules_and_forbids_nothing', () => {
  const file = lines('User-agent: *', 'Disallow: /', '', 'User-agent: OurBot')
  allows(file, '/a')
  assert.equal(ask(file, '/a').basis, 'no-rule')
  forbids(file, 2, '/a', 'Other')
})

test('RFC9309_2.2.1_product_tokens_are_compared_whole_and_without_regard_to_case', () => {
  forbids(lines('User-agent: oUrBoT', 'Disallow: /'), 2, '/a')
  for (const other of [
    'Our',
    'OurBotImage',
    'OurBot-Image',
    'OurBot_x',
    'Bot',
    'OurBot2',
    '2OurBot',
  ]) {
    allows(lines(`User-agent: ${other}`, 'Disallow: /'), '/a')
  }
})

test('RFC9309_2.2.1_text_after_the_product_token_is_no_part_of_it', () => {
  for (const more of [
    '/2.0',
    '/2.0 (+https://our.example)',
    ' Extra',
    '(x)',
    '*',
    ', Other',
    ';x',
    '.x',
  ]) {
    forbids(lines(`User-agent: OurBot${more}`, 'Disallow: /'), 2, '/a')
  }
  forbids(lines('User-agent: * extra', 'Disallow: /'), 2, '/a')
})

test('RFC9309_2.2.1_all_groups_that_name_us_are_merged_in_file_order', () => {
  const file = lines(
    'User-agent: OurBot',
    'Disallow: /a',
    'User-agent: Other',
    'Disallow: /c',
    'User-agent: *',
    'User-agent: ourbot',
    'Allow: /a/x',
    'Disallow: /b',
  )
  forbids(file, 2, '/a/y')
  assert.equal(ask(file, '/a/x').rule?.line, 7)
  forbids(file, 8, '/b')
  allows(file, '/c')
  assert.deepEqual(ask(file, '/b').group, ['OurBot', 'ourbot'])
})

test('RFC9309_2.2.1_without_a_group_of_ours_all_star_groups_apply_merged', () => {
  const file = lines(
    'User-agent: *',
    'Disallow: /a',
    'User-agent: Other',
    'Disallow: /',
    'User-agent: *',
    'Disallow: /b',
  )
  forbids(file, 2, '/a')
  forbids(file, 6, '/b')
  allows(file, '/c')
  assert.deepEqual(ask(file, '/a').group, ['*'])
})

test('RFC9309_2.2.1_without_our_group_and_without_star_nothing_is_forbidden', () => {
  const verdict = ask(lines('User-agent: Other', 'Disallow: /'), '/a')
  assert.equal(verdict.allowed, true)
  assert.equal(verdict.basis, 'no-group')
  assert.deepEqual(verdict.group, [])
})

test('RFC9309_2.2.1_a_group_of_ours_replaces_star_even_if_empty (RC24)', () => {
  allows(lines('User-agent: *', 'Disallow: /', 'User-agent: OurBot', 'Disallow:'), '/a')
  allows(lines('User-agent: *', 'Disallow: /', 'User-agent: OurBot', 'Crawl-delay: 5'), '/a')
  forbids(lines('User-agent: *', 'Allow: /', 'User-agent: OurBot', 'Disallow: /'), 4, '/a')
})

test('RFC9309_2.2.1_tokens_named_like_object_properties_are_plain_tokens', () => {
  const file = lines('User-agent: __proto__', 'Disallow: /p', 'User-agent: *', 'Disallow: /s')
  forbids(file, 2, '/p', '__proto__')
  forbids(file, 4, '/s', 'constructor')
})

test('RFC9309_2.2.2_rules_before_the_first_agent_line_are_ignored', () => {
  const file = lines('Disallow: /', 'Crawl-delay: 9', 'User-agent: OurBot', 'Disallow: /a')
  allows(file, '/b')
  assert.deepEqual(codesOf(file), ['1 rule-outside-group', '2 rule-outside-group'])
  assert.equal(crawlDelayMs(readRobots(Buffer.from(file)), 'OurBot'), null)
})

for (const other of [
  'Sitemap: https://shop.example/s.xml',
  'Crawl-delay: 5',
  'Host: shop.example',
  'Content-Signal: ai-train=no',
  'Noindex: /x',
  'Whatever: it says',
]) {
  const key = other.slice(0, other.indexOf(':'))
  test(`RFC9309_2.2.4_${key}_neither_splits_agent_lines_nor_ends_a_group (PK8)`, () => {
    const split = lines('User-agent: OurBot', other, 'User-agent: Other', 'Disallow: /')
    forbids(split, 4, '/a')
    forbids(split, 4, '/a', 'Other')
    const inside = lines('User-agent: OurBot', 'Disallow: /a', other, 'Disallow: /b')
    forbids(inside, 4, '/b')
    const after = lines('User-agent: OurBot', 'Allow: /', other, 'User-agent: Other', 'Disallow: /')
    allows(after, '/a')
  })
}

test('RFC9309_2.2.4_sharing_by_such_a_record_is_pointed_out', () => {
  const file = lines('User-agent: *', 'Sitemap: /s.xml', 'User-agent: Other', 'Disallow: /')
  forbids(file, 4, '/a')
  assert.deepEqual(codesOf(file), ['3 shared-group'])
})

test('RFC9309_2.3.1.5_every_line_is_tried_and_a_bad_one_voids_no_other', () => {
  const file = lines(
    '???',
    'User-agent: OurBot',
    'Disallow',
    ': /x',
    'No record here',
    'Disallow: /a',
  )
  forbids(file, 6, '/a')
  assert.deepEqual(codesOf(file), ['1 no-record', '3 no-record', '4 unknown-key', '5 no-record'])
})

test('RFC9309_2.3.1.5_an_agent_line_without_a_token_still_opens_a_group', () => {
  for (const bad of ['', '4chan', '*bot', '!', '"OurBot"']) {
    const file = lines('User-agent: *', 'Disallow: /a', `User-agent: ${bad}`, 'Disallow: /')
    forbids(file, 2, '/a')
    allows(file, '/b')
    assert.deepEqual(codesOf(file), ['3 bad-token'], bad)
  }
})

// --- 2.2.2, 2.2.3: matching -----------------------------------------------------------------------

test('RFC9309_2.2.2_matching_begins_at_the_first_octet_and_regards_case', () => {
  const file = lines('User-agent: *', 'Disallow: /Fish')
  forbids(file, 2, '/Fish')
  forbids(file, 2, '/Fishing/x')
  for (const path of ['/fish', '/x/Fish', '/?q=/Fish', '/Fis']) allows(file, path)
})

test('RFC9309_2.2.2_the_query_counts_the_fragment_does_not_and_no_path_is_the_root', () => {
  const file = lines('User-agent: *', 'Disallow: /a?x', 'Disallow: /?')
  forbids(file, 2, '/a?xy#z')
  allows(file, '/a')
  allows(file, '/a#?x')
  forbids(file, 3, '/?')
  forbids(file, 3, '?q')
  allows(file, '/')
  forbids(lines('User-agent: *', 'Disallow: /$'), 2, '')
})

test('RFC9309_2.2.2_the_rule_with_most_octets_wins_wherever_it_stands', () => {
  const file = lines('User-agent: *', 'Allow: /a/b', 'Disallow: /a', 'Disallow: /a/b/c')
  allows(file, '/a/b')
  forbids(file, 3, '/a/x')
  forbids(file, 4, '/a/b/c')
})

test('RFC9309_2.2.2_octets_are_counted_after_encoding_wildcards_and_anchor_included', () => {
  forbids(lines('User-agent: *', 'Allow: /*x*y', 'Disallow: /ü'), 3, '/üxy')
  forbids(lines('User-agent: *', 'Allow: /a', 'Disallow: /a*'), 3, '/a')
  allows(lines('User-agent: *', 'Disallow: /a', 'Allow: /a$'), '/a')
  allows(lines('User-agent: *', 'Disallow: /ab*', 'Allow: /a***'), '/abc')
})

test('RFC9309_2.2.2_between_equally_long_rules_allow_wins_and_the_first_is_named', () => {
  assert.equal(ask(lines('User-agent: *', 'Disallow: /a', 'Allow: /a'), '/a').rule?.line, 3)
  assert.equal(ask(lines('User-agent: *', 'Disallow: /a', 'Allow: /a'), '/a').outweighed?.line, 2)
  forbids(lines('User-agent: *', 'Disallow: /a', 'Disallow: /a'), 2, '/a')
})

test('RFC9309_2.2.2_nothing_matching_means_allowed', () => {
  const verdict = ask(lines('User-agent: *', 'Disallow: /a'), '/b')
  assert.equal(verdict.allowed, true)
  assert.equal(verdict.basis, 'no-rule')
  assert.equal(verdict.rule, null)
})

test('RFC9309_2.2.2_an_empty_pattern_matches_nothing_and_wipes_nothing', () => {
  const file = lines('User-agent: *', 'Disallow: /a', 'Disallow:', 'Allow:')
  forbids(file, 2, '/a')
  allows(file, '/b')
})

test('RFC9309_2.2.2_robots_txt_itself_is_always_allowed_and_nothing_like_it', () => {
  const file = lines('User-agent: *', 'Disallow: /')
  assert.equal(ask(file, '/robots.txt').basis, 'robots-file')
  allows(file, '/robots.txt')
  for (const path of ['/Robots.txt', '/robots.txt?x', '/robots.txt/', '/a/robots.txt']) {
    forbids(file, 2, path)
  }
})

test('RFC9309_2.2.2_octets_outside_ascii_are_equal_to_their_encoding', () => {
  for (const rule of ['/bücher', '/b%C3%BCcher', '/b%c3%bccher']) {
    for (const path of ['/bücher', '/b%C3%BCcher', '/b%c3%bccher']) {
      forbids(lines('User-agent: *', `Disallow: ${rule}`), 2, path)
    }
  }
})

test('RFC9309_2.2.2_encoded_unreserved_characters_equal_raw_ones', () => {
  for (const rule of ['/~a-b.c_d/', '/%7Ea%2db%2Ec%5fd/', '/%7e%61-b.c_%64/']) {
    for (const path of ['/~a-b.c_d/', '/%7Ea%2db%2Ec%5fd/', '/%7e%61-b.c_%64/']) {
      forbids(lines('User-agent: *', `Disallow: ${rule}`), 2, path)
    }
  }
})

test('RFC9309_2.2.2_encoded_reserved_characters_stay_apart_from_raw_ones', () => {
  allows(lines('User-agent: *', 'Disallow: /a/b'), '/a%2Fb')
  allows(lines('User-agent: *', 'Disallow: /a%2Fb'), '/a/b')
  forbids(lines('User-agent: *', 'Disallow: /a%2fb'), 2, '/a%2Fb')
  allows(lines('User-agent: *', 'Disallow: /a%3Fb'), '/a?b')
  forbids(lines('User-agent: *', 'Disallow: /*?u=https://x.example'), 2, '/a?u=https://x.example')
  allows(lines('User-agent: *', 'Disallow: /s?q=a+b'), '/s?q=a%20b')
})

test('RFC9309_2.2.2_characters_no_uri_may_hold_raw_equal_their_encoding', () => {
  for (const [raw, encoded] of [
    ['<', '%3c'],
    ['>', '%3E'],
    ['"', '%22'],
    ['|', '%7c'],
    ['^', '%5E'],
    ['`', '%60'],
    ['{}', '%7B%7D'],
    ['a b', 'a%20b'],
  ] as const) {
    for (const rule of [raw, encoded]) {
      const file = lines('User-agent: *', `Disallow: /x${rule}`, `Disallow: /q?x=${rule}`)
      for (const path of [raw, encoded]) {
        forbids(file, 2, `/x${path}`)
        forbids(file, 3, `/q?x=${path}`)
      }
    }
  }
})

test('RFC9309_2.2.3_a_star_is_any_run_of_octets_the_empty_one_too', () => {
  const file = lines('User-agent: *', 'Disallow: /a*c*e')
  for (const path of ['/ace', '/abcde', '/a/c/e/f', '/acce', '/a?c=e']) forbids(file, 2, path)
  for (const path of ['/ac', '/aec', '/bace', '/a']) allows(file, path)
  forbids(lines('User-agent: *', 'Disallow: *'), 2, '/')
  forbids(lines('User-agent: *', 'Disallow: */p'), 2, '/x/page')
})

test('RFC9309_2.2.3_a_dollar_at_the_end_is_the_end_and_elsewhere_itself', () => {
  const file = lines('User-agent: *', 'Disallow: /*.gif$', 'Disallow: /a$b')
  forbids(file, 2, '/x.gif')
  forbids(file, 2, '/x.gif.gif')
  allows(file, '/x.gif?v=1')
  allows(file, '/x.gifs')
  forbids(file, 3, '/a$bc')
  forbids(file, 3, '/a%24bc')
  allows(file, '/a')
  allows(lines('User-agent: *', 'Disallow: /x$'), '/x$')
  allows(lines('User-agent: *', 'Disallow: $'), '/')
})

test('RFC9309_2.2.3_pieces_between_stars_do_not_overlap_and_the_last_is_sought_at_the_end', () => {
  forbids(lines('User-agent: *', 'Disallow: /*ab$'), 2, '/abab')
  allows(lines('User-agent: *', 'Disallow: /*ab$'), '/aba')
  allows(lines('User-agent: *', 'Disallow: /a*aa$'), '/aa')
  forbids(lines('User-agent: *', 'Disallow: /a*aa$'), 2, '/aaa')
  allows(lines('User-agent: *', 'Disallow: /*abc*bcd'), '/abcd')
  forbids(lines('User-agent: *', 'Disallow: /fish*$'), 2, '/fish/x')
})

test('RFC9309_2.2.3_encoded_star_and_dollar_in_a_rule_are_the_characters_themselves', () => {
  const file = lines('User-agent: *', 'Disallow: /a%2Ab', 'Disallow: /c%24')
  forbids(file, 2, '/a*b')
  forbids(file, 2, '/a%2ab')
  allows(file, '/axb')
  forbids(file, 3, '/c$d')
  allows(file, '/c')
})

test('RFC9309_2.2_a_pattern_without_slash_or_star_can_match_nothing', () => {
  const file = lines('User-agent: *', 'Disallow: fish', 'Disallow: https://shop.example/')
  allows(file, '/fish')
  assert.deepEqual(codesOf(file), ['2 bad-path', '3 bad-path'])
})

test('RFC9309_2.2.2_rules_are_patterns_and_not_resolved_as_paths', () => {
  allows(lines('User-agent: *', 'Disallow: /b/../a/'), '/a/x')
  allows(lines('User-agent: *', 'Disallow: //a/'), '/a/x')
})

// --- 2.3, 2.5, 3: bytes and limits ----------------------------------------------------------------

test('RFC9309_2.3_a_byte_order_mark_is_skipped_and_what_is_left_of_one (RC15)', () => {
  const rest = Buffer.from(lines('User-agent: OurBot', 'Disallow: /a'))
  for (const mark of [[0xef, 0xbb, 0xbf], [0xef, 0xbb], [0xef]]) {
    forbids(Buffer.concat([Buffer.from(mark), rest]), 2, '/a')
  }
  allows(Buffer.concat([Buffer.from([0xef, 0x11, 0xbf]), rest]), '/a')
})

test('RFC9309_2.2.2_octets_that_are_not_utf8_are_compared_as_they_stand', () => {
  const file = Buffer.from('User-agent: *\nDisallow: /caf\xe9\n', 'latin1')
  forbids(file, 2, '/caf%E9')
  allows(file, '/café')
  assert.deepEqual(codesOf(file), ['2 not-utf8'])
})

test('RFC9309_2.5_a_rule_within_512000_octets_counts_and_one_that_ends_beyond_does_not', () => {
  const head = 'User-agent: *\n'
  const rule = 'Disallow: /late'
  const endingAt = (end: number): string => {
    const padding = '#'.repeat(end - head.length - rule.length - 1)
    return `${head}${padding}\n${rule}\n# and more\n`
  }
  forbids(endingAt(FILE_OCTETS_MAX), 3, '/late')
  allows(endingAt(FILE_OCTETS_MAX + 1), '/late')
  for (const end of [FILE_OCTETS_MAX, FILE_OCTETS_MAX + 1]) {
    assert.equal(readRobots(Buffer.from(endingAt(end))).truncated, true)
  }
})

test('RFC9309_2.5_a_cut_file_never_holds_half_a_rule_and_says_so', () => {
  const file = `User-agent: *\nDisallow: /a\n${'# filler\n'.repeat(57_000)}Disallow: /b\n`
  const read = readRobots(Buffer.from(file))
  assert.equal(read.truncated, true)
  assert.deepEqual(read.issues, [{ line: 0, code: 'truncated' }])
  forbids(file, 2, '/a')
  allows(file, '/b')
})

test('RFC9309_2.3.1.1_an_empty_file_and_one_of_prose_forbid_nothing', () => {
  for (const file of ['', '\n\n', ' ', 'Not found', '{"error":404}', '\u0000\u0001\u0002']) {
    allows(file, '/a')
  }
})

test('RFC9309_5.1_the_standard’s_simple_example', () => {
  const file = lines(
    'User-Agent: *',
    'Disallow: *.gif$',
    'Disallow: /example/',
    'Allow: /publications/',
    '',
    'User-Agent: foobot',
    'Disallow:/',
    'Allow:/example/page.html',
    'Allow:/example/allowed.gif',
    '',
    'User-Agent: barbot',
    'User-Agent: bazbot',
    'Disallow: /example/page.html',
    '',
    'User-Agent: quxbot',
  )
  forbids(file, 2, '/a.gif')
  forbids(file, 3, '/example/page.html')
  allows(file, '/publications/x')
  forbids(file, 7, '/publications/x', 'foobot')
  allows(file, '/example/page.html', 'foobot')
  forbids(file, 13, '/example/page.html', 'barbot')
  allows(file, '/example/a.gif', 'bazbot')
  allows(file, '/example/page.html', 'quxbot')
})

// --- choices -------------------------------------------------------------------------------------

test('HOUSE_one_line_is_read_as_the_lines_it_means (RC15)', () => {
  forbids('User-agent: * Disallow: /', 1, '/a')
  forbids('    User-agent: *    Disallow: /', 1, '/a')
  forbids('User-agent: *Disallow: /a/Disallow: /b/Disallow: /cAllow: /b/x', 1, '/c')
  allows('User-agent: *Disallow: /a/Disallow: /b/Disallow: /cAllow: /b/x', '/b/x')
  allows('User-agent: *Disallow:', '/a')
  const list = lines(
    'User-agent: Bad Disallow: /',
    'User-agent: Worse Disallow: /',
    'User-agent: *',
    'Disallow: /x',
  )
  forbids(list, 2, '/a', 'Worse')
  allows(list, '/a')
  forbids(list, 4, '/x')
  assert.deepEqual(codesOf(list), ['1 one-line', '2 one-line'])
  assert.equal(ask('User-agent: * Disallow: /', '/').rule?.text, 'Disallow: /')
  assert.equal(
    crawlDelayMs(readRobots(Buffer.from('User-agent: * Crawl-delay: 7 Disallow: /x')), 'OurBot'),
    7_000,
  )
})

test('HOUSE_only_a_line_that_begins_with_an_agent_is_split', () => {
  allows(lines('User-agent: *', 'Disallow: /a Disallow: /b'), '/b')
  forbids(lines('User-agent: *', 'Disallow: /wiki/Allow:x'), 2, '/wiki/Allow:x')
  allows(lines('User-agent: OurBot (no-disallow: /)'), '/a')
  assert.deepEqual(codesOf('User-agent: Swallow-disallow-thing'), [])
})

test('HOUSE_a_misspelt_disallow_is_read_as_what_it_means_a_misspelt_allow_is_not', () => {
  for (const key of ['Dissallow', 'disalow', 'DISALLAW', 'Desallow']) {
    const file = lines('User-agent: *', `${key}: /a`)
    forbids(file, 2, '/a')
    assert.deepEqual(codesOf(file), ['2 typo'])
  }
  for (const key of ['useragent', 'User Agent', 'User-Agents']) {
    forbids(lines(`${key}: OurBot`, 'Disallow: /a'), 2, '/a')
  }
  forbids(lines('User-agent: *', 'Disallow: /', 'Alow: /', 'Allows: /'), 2, '/a')
})

test('HOUSE_a_missing_colon_is_supplied_between_a_key_and_one_word_but_not_to_an_allow', () => {
  const file = lines('User-agent OurBot', 'Disallow /a')
  forbids(file, 2, '/a')
  assert.deepEqual(codesOf(file), ['1 missing-colon', '2 missing-colon'])
  allows(lines('User-agent: *', 'Disallow all robots', 'disallow'), '/a')
  forbids(lines('User-agent: *', 'Disallow: /', 'Allow /a'), 2, '/a')
})

test('HOUSE_a_nul_cuts_a_disallow_and_voids_an_allow', () => {
  const file = lines('User-agent: *', 'Disallow: /a\0b', 'Allow: /a\0c', 'Disallow: /d')
  forbids(file, 2, '/a')
  forbids(file, 4, '/d')
  assert.deepEqual(codesOf(file), ['2 nul', '3 nul'])
})

test('HOUSE_a_line_too_long_cuts_a_disallow_and_voids_an_allow', () => {
  const long = 'x'.repeat(17_000)
  const file = lines('User-agent: *', `Disallow: /*a*${long}`, `Allow: /a*${long}`, 'Disallow: /b')
  allows(file, '/a')
  forbids(file, 4, '/b')
  forbids(lines('User-agent: *', `Disallow: /a${'*'.repeat(17_000)}never`), 2, '/a')
  forbids(lines('User-agent: *', 'Disallow: /a', `Allow: /a${'*'.repeat(17_000)}never`), 2, '/a')
  assert.deepEqual(codesOf(file), ['2 too-long', '3 too-long'])
  assert.deepEqual(codesOf(lines(`# ${long}`)), [])
})

test('HOUSE_apostrophe_and_brackets_equal_their_encoding', () => {
  for (const rule of ["/f?a[b]='c'", '/f?a%5Bb%5D=%27c%27']) {
    for (const path of ["/f?a[b]='c'", '/f?a%5bb%5d=%27c%27']) {
      forbids(lines('User-agent: *', `Disallow: ${rule}`), 2, path)
    }
  }
})

test('HOUSE_a_percent_sign_alone_means_itself', () => {
  forbids(lines('User-agent: *', 'Disallow: /*%'), 2, '/a%20b')
  forbids(lines('User-agent: *', 'Disallow: /100%'), 2, '/100%')
  forbids(lines('User-agent: *', 'Disallow: /%zz'), 2, '/%zz')
})

test('HOUSE_utf16_with_a_mark_is_read', () => {
  const text = lines('User-agent: *', 'Disallow: /ü')
  const little = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')])
  const big = Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from(text, 'utf16le').swap16()])
  const halved = [little, big].map((file) => Buffer.concat([file, Buffer.from([0x41])]))
  for (const file of [little, big, ...halved]) {
    forbids(file, 2, '/üx')
    assert.deepEqual(codesOf(file), ['0 utf-16'])
  }
})

test('HOUSE_rules_wrapped_in_markup_are_read_without_their_tags', () => {
  const file = '<html><body><pre>User-agent: *<br>\nDisallow: /a<br/>\n</pre></body></html>'
  forbids(file, 2, '/a')
  assert.equal(codesOf(file)[0], '0 html')
  allows('<!DOCTYPE html><title>Gone</title><p>Disallow: / nothing here', '/a')
})

test('HOUSE_index_html_has_no_meaning_of_its_own', () => {
  forbids(lines('User-agent: *', 'Allow: /s/index.html', 'Disallow: /'), 3, '/s/')
})

test('HOUSE_crawl_delay_speaks_to_the_agent_lines_above_it_and_is_never_inherited', () => {
  const delays = (file: string, token: string): number | null =>
    crawlDelayMs(readRobots(Buffer.from(file)), token)
  const file = lines(
    'User-agent: *',
    'Crawl-delay: 30',
    'Disallow: /x',
    'User-agent: One',
    'Crawl-delay: 1',
    'User-agent: Two',
    'User-agent: Three',
    'Crawl-delay: 2.5',
    'User-agent: Four',
    'Disallow: /',
  )
  assert.equal(delays(file, 'One'), 1_000)
  assert.equal(delays(file, 'Two'), 2_500)
  assert.equal(delays(file, 'Three'), 2_500)
  assert.equal(delays(file, 'Four'), null)
  assert.equal(delays(file, 'OurBot'), 30_000)
  forbids(file, 10, '/a', 'One')
})

test('HOUSE_of_several_crawl_delays_for_an_agent_the_longest_holds', () => {
  const file = lines('User-agent: OurBot', 'Crawl-delay: 5', 'Crawl-delay: 9', 'Crawl-delay: 2')
  assert.equal(ask(file, '/').crawlDelayMs, 9_000)
  const merged = lines(
    'User-agent: OurBot',
    'Crawl-delay: 5',
    'Allow: /',
    'User-agent: OurBot',
    'Crawl-delay: 4',
  )
  assert.equal(ask(merged, '/').crawlDelayMs, 5_000)
})
