/** Crawlers a publisher lives from, or whose exclusion is news. A changed list is a new version. */

export type CrawlerTrade = 'search' | 'ads' | 'ai' | 'social' | 'archive' | 'links' | 'watch'

/**
 * `token`: the product token of its robots.txt group. `ignoresEverybody`: the vendor says that a
 * group for * does not bind it, so that only a group which names it can shut it out.
 */
export type Crawler = {
  readonly token: string
  readonly trade: CrawlerTrade
  readonly because: string
  readonly ignoresEverybody?: true
  readonly alsoNamed?: readonly string[]
}

export const CRAWLERS_VERSION = 1

export const CRAWLERS: readonly Crawler[] = [
  { token: 'Googlebot', trade: 'search', because: 'fills Google Search' },
  {
    token: 'Googlebot-News',
    trade: 'search',
    because: 'fills Google News',
    alsoNamed: ['Googlebot'],
  },
  {
    token: 'Googlebot-Image',
    trade: 'search',
    because: 'fills Google Images',
    alsoNamed: ['Googlebot'],
  },
  { token: 'Bingbot', trade: 'search', because: 'fills Bing and those who buy its index' },
  { token: 'DuckDuckBot', trade: 'search', because: 'fills DuckDuckGo' },
  {
    token: 'Applebot',
    trade: 'search',
    because: 'fills Siri and Spotlight',
    alsoNamed: ['Googlebot'],
  },
  { token: 'YandexBot', trade: 'search', because: 'fills Yandex Search', alsoNamed: ['Yandex'] },
  { token: 'Baiduspider', trade: 'search', because: 'fills Baidu Search' },
  {
    token: 'Mediapartners-Google',
    trade: 'ads',
    because: 'reads pages for AdSense; without it the ads do not fit',
    ignoresEverybody: true,
  },
  {
    token: 'AdsBot-Google',
    trade: 'ads',
    because: 'checks the landing pages of Google Ads',
    ignoresEverybody: true,
  },
  { token: 'AmazonAdBot', trade: 'ads', because: 'reads pages for Amazon’s ad exchange' },
  { token: 'CriteoBot', trade: 'ads', because: 'reads pages for Criteo’s advertisers' },
  { token: 'TTD-Content', trade: 'ads', because: 'reads pages for The Trade Desk’s buyers' },
  { token: 'AppNexusBot', trade: 'ads', because: 'reads pages for the Xandr exchange' },
  { token: 'peer39_crawler', trade: 'ads', because: 'rates pages for advertisers' },
  { token: 'proximic', trade: 'ads', because: 'rates pages for advertisers' },
  { token: 'GrapeshotCrawler', trade: 'ads', because: 'rates pages for advertisers' },
  { token: 'ADmantX', trade: 'ads', because: 'rates pages for advertisers' },
  { token: 'GPTBot', trade: 'ai', because: 'collects pages to train OpenAI’s models' },
  { token: 'OAI-SearchBot', trade: 'ai', because: 'fills the search of ChatGPT' },
  { token: 'ChatGPT-User', trade: 'ai', because: 'opens pages that a user of ChatGPT asks about' },
  { token: 'ClaudeBot', trade: 'ai', because: 'collects pages to train Anthropic’s models' },
  { token: 'Claude-SearchBot', trade: 'ai', because: 'fills the search of Claude' },
  { token: 'Claude-User', trade: 'ai', because: 'opens pages that a user of Claude asks about' },
  { token: 'Google-Extended', trade: 'ai', because: 'is Google’s switch for Gemini' },
  { token: 'Applebot-Extended', trade: 'ai', because: 'is Apple’s switch for its models' },
  { token: 'PerplexityBot', trade: 'ai', because: 'fills the answers of Perplexity' },
  { token: 'Meta-ExternalAgent', trade: 'ai', because: 'collects pages to train Meta’s models' },
  { token: 'Bytespider', trade: 'ai', because: 'collects pages for ByteDance' },
  { token: 'Amazonbot', trade: 'ai', because: 'fills the answers of Alexa' },
  { token: 'CCBot', trade: 'ai', because: 'fills Common Crawl, from which most models learn' },
  { token: 'facebookexternalhit', trade: 'social', because: 'makes the previews of shared links' },
  { token: 'Twitterbot', trade: 'social', because: 'makes the previews of shared links' },
  { token: 'LinkedInBot', trade: 'social', because: 'makes the previews of shared links' },
  { token: 'ia_archiver', trade: 'archive', because: 'has long stood for the Internet Archive' },
  { token: 'SemrushBot', trade: 'links', because: 'counts links for those who buy and sell reach' },
  { token: 'AhrefsBot', trade: 'links', because: 'counts links for those who buy and sell reach' },
  { token: 'PlainReckonerBot', trade: 'watch', because: 'is the crawler of this watch itself' },
]
