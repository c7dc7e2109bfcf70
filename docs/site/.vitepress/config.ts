import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'
import { takeScriptsOut } from '../../../scripts/docs/scripts-out.ts'
import { makeSidebar } from '../../../scripts/docs/sidebar.ts'
import { sitePages, toAnchor, toSiteLink } from '../../../scripts/docs/site-pages.ts'

const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

export default defineConfig({
  title: 'Sluice',
  description: 'Event collector and file gateway around a distributed file system (HDFS).',
  lang: 'en-GB',
  // The pages stand where the repository has them, and links lead from one to another in both.
  srcDir: '../..',
  srcExclude: ['README.md', '{src,admin,scripts,test,dist,data,bin}/**', 'docs/site/**', '**/node_modules/**'],
  rewrites: Object.fromEntries(sitePages),
  outDir: path('../dist'),
  cacheDir: path('../node_modules/.cache/vitepress'),
  vite: {
    publicDir: path('../public'),
    build: { assetsInlineLimit: 0, chunkSizeWarningLimit: 2_000 },
    plugins: [
      {
        // Pages are no neighbours of node_modules, where what they are compiled to looks for it.
        name: 'vue for pages elsewhere',
        enforce: 'pre',
        resolveId(id, importer, options) {
          if (!/^vue(?:\/|$)/.test(id)) return null
          if (options.ssr) return { id, external: true }
          if (importer?.includes('node_modules')) return null
          return this.resolve(id, path('../package.json'), { ...options, skipSelf: true })
        },
      },
    ],
  },
  metaChunk: true,
  head: [['link', { rel: 'icon', href: '/favicon.svg', type: 'image/svg+xml' }]],
  markdown: {
    anchor: { slugify: toAnchor },
    headers: { slugify: toAnchor },
    toc: { slugify: toAnchor },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    languageAlias: { console: 'shellsession', jsonl: 'json', haproxy: 'nginx', promql: 'text', text: 'txt' },
    config: md => {
      // The words behind a language are for the tests.
      md.core.ruler.push('plain fences', ({ tokens }) => {
        for (const token of tokens) if (token.type === 'fence') token.info = token.info.split(' ')[0] ?? ''
      })
      md.core.ruler.push('links of the site', ({ tokens, env }) => {
        const page = (env as { realPath?: string; path: string }).realPath ?? env.path
        const source = page.slice(path('../../../').length)
        for (const token of tokens) {
          const isGone: boolean[] = []
          token.children &&= token.children.filter(child => {
            if (child.type === 'link_close') return isGone.pop() !== true
            if (child.type !== 'link_open') return true
            const link = toSiteLink(source, child.attrGet('href') ?? '')
            isGone.push(link === undefined)
            if (link !== undefined) child.attrSet('href', link)
            return link !== undefined
          })
        }
      })
    },
  },
  transformHtml: (html, _id, { siteConfig }) => takeScriptsOut(html, siteConfig.outDir),
  themeConfig: {
    outline: [2, 3],
    search: {
      provider: 'local',
      // All words, as they are written: names of settings and errors are what is looked for here.
      options: { miniSearch: { searchOptions: { combineWith: 'AND', fuzzy: false, prefix: true } } },
    },
    sidebar: makeSidebar() as never,
    nav: [],
    docFooter: { prev: 'Before', next: 'Next' },
  },
})
