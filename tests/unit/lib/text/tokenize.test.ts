import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countTerms, TOKENIZER_VERSION, tokenize, tokenizeWords } from "../../../../lib/text/tokenize.ts";

describe("tokenize", () => {
  it.each([
    ["CrashLoopBackOff", ["crashloopbackoff", "crash", "loop", "back", "off"]],
    ["ImagePullBackOff", ["imagepullbackoff", "imag", "pull", "back", "off"]],
    ["OOMKilled", ["oomkill", "oom", "kill"]],
    ["HTTPServer2", ["httpserver2", "http", "server2"]],
    ["restartCount", ["restartcount", "restart", "count"]],
    ["ERR_CONN_RESET", ["err_conn_reset", "err", "conn", "reset"]],
    ["kube-dns", ["kube-dns", "kube", "dns"]],
    ["/var/lib/docker", ["var/lib/docker", "var", "lib", "docker"]],
    ["10.0.0.1", ["10.0.0.1", "10", "0", "0", "1"]],
    ["max_connections", ["max_connections", "max", "connection"]],
    ["system:node", ["system:node", "system", "node"]],
    ["my-PodName", ["my-podname", "podnam", "pod", "name"]],
    ["imagePullSecrets", ["imagepullsecret", "imag", "pull", "secret"]],
    ["NetworkPolicies", ["networkpolicy", "network", "policy"]],
  ])("returns the identifier %s and its parts", (identifier, terms) => {
    expect(tokenize(identifier)).toEqual(terms);
  });

  it.each([
    ["net::ERR_CONN_RESET", ["net::err_conn_reset", "net", "err_conn_reset", "err", "conn", "reset"]],
    [
      "registry.k8s.io/pause:3.9",
      ["registry.k8s.io/pause:3.9", "registry.k8s.io", "registry", "k8s", "io", "paus", "3.9", "3", "9"],
    ],
    ["10.0.0.1:5432", ["10.0.0.1:5432", "10.0.0.1", "10", "0", "0", "1", "5432"]],
    ["app@web-1", ["app@web-1", "app", "web-1", "web", "1"]],
    ["5.10+lts_arm", ["5.10+lts_arm", "5.10", "5", "10", "lts_arm", "lts", "arm"]],
    ["svc/my-PodNames", ["svc/my-podnames", "svc", "my-podnames", "podnam", "pod", "name"]],
  ])("returns the names inside the identifier %s too, each with its parts", (identifier, terms) => {
    expect(tokenize(identifier)).toEqual(terms);
  });

  it.each([
    ["53300", ["53300"]],
    ["40P01", ["40p01"]],
    ["exit 137", ["exit", "137"]],
    ["XX001", ["xx001"]],
    ["k8s", ["k8s"]],
  ])("keeps the code %s whole", (code, terms) => {
    expect(tokenize(code)).toEqual(terms);
  });

  it("treats a word in capitals as one word", () => {
    expect(tokenize("ENOSPC Docker DOCKER")).toEqual(["enospc", "docker", "docker"]);
  });

  it("keeps order and repetitions", () => {
    expect(tokenize("pod, node; pod!")).toEqual(["pod", "node", "pod"]);
  });

  it("removes punctuation at the edges of an identifier", () => {
    expect(tokenize("(--memory=1g) `_private_` 'kubelet'.")).toEqual(["memory", "1g", "privat", "kubelet"]);
  });

  it.each(["", "   \n\t", "— … !?", "the and of with"])("returns no term for %j", (text) => {
    expect(tokenize(text)).toEqual([]);
  });

  it("drops function words and keeps words that can describe a failure", () => {
    expect(tokenize("Why is the disk not full when it was down and off")).toEqual([
      "disk",
      "not",
      "full",
      "down",
      "off",
    ]);
  });

  it("drops a function word among an identifier's parts and keeps the identifier", () => {
    expect(tokenize("out-of-memory")).toEqual(["out-of-memory", "out", "memory"]);
  });
});

describe("unicode", () => {
  it("keeps letters of any script", () => {
    expect(tokenize("Größe größe соединение 接続")).toEqual(["größe", "größe", "соединение", "接続"]);
  });

  it("normalises compatibility forms (NFKC)", () => {
    expect(tokenize("ﬁle １３７ Ｐｏｄ")).toEqual(["file", "137", "pod"]);
  });

  it("treats composed and decomposed letters as equal", () => {
    expect(tokenize("gro\u0308ße")).toEqual(tokenize("größe"));
  });

  it("accepts lone surrogates and control characters", () => {
    expect(tokenize("pod\ud800node\0disk")).toEqual(["pod", "node", "disk"]);
  });
});

describe("the length limit", () => {
  it("keeps a term of 64 characters", () => {
    expect(tokenize("x".repeat(64))).toEqual(["x".repeat(64)]);
  });

  it("drops a term of 65 characters", () => {
    expect(tokenize("x".repeat(65))).toEqual([]);
  });

  it("keeps the parts of an identifier that is too long as a whole", () => {
    expect(tokenize(`${"a".repeat(40)}-${"b".repeat(40)}`)).toEqual(["a".repeat(40), "b".repeat(40)]);
  });
});

describe("combining marks", () => {
  // A mark of a low class does not keep a later one of a higher class from joining the letter.
  const pile = (low: number) => `e${"\u0321".repeat(low)}\u0301`;

  it("keep eight on a letter, of which the last may join it", () => {
    expect(tokenize(pile(7))).toEqual(["é"]);
  });

  it("lose the ninth and all that follow", () => {
    expect(tokenize(`d${pile(8)}`)).toEqual(["de"]);
    expect(tokenize(`d${pile(20)}`)).toEqual(["de"]);
    expect(tokenize(`${"e\u0301".repeat(12)}`)).toEqual(["é".repeat(12)]);
  });

  // In the canonical order that NFKC makes of them, mixed marks cost the square of their number.
  it.each([100_000, 1_000_000])("are handled when there are %d", (count) => {
    expect(tokenize(`disk a${"\u0301\u0323".repeat(count / 2)} full`)).toEqual(["disk", "ạ", "full"]);
    expect(tokenize(`disk e${"\u0301".repeat(count)} full`)).toEqual(["disk", "é", "full"]);
  });
});

describe("TOKENIZER_VERSION", () => {
  it("is the version of light stemming", () => {
    expect(TOKENIZER_VERSION).toBe(3);
  });
});

describe("queries and documents", () => {
  it.each([
    ["crash loop", "CrashLoopBackOff"],
    ["crashloopbackoff", "CrashLoopBackOff"],
    ["CRASHLOOPBACKOFF", "CrashLoopBackOff"],
    ["crash-loop pods", "Pod in CrashLoopBackOff (crash-loop)"],
    ["oomkilled", "OOMKilled"],
    ["conn reset", "net::ERR_CONN_RESET"],
    ["err_conn_reset", "failed with ERR_CONN_RESET, twice"],
    ["ERR_CONN_RESET", "net::ERR_CONN_RESET"],
    ["registry.k8s.io", "registry.k8s.io/pause:3.9"],
    ["pause 3.9", "registry.k8s.io/pause:3.9"],
    ["10.0.0.1", "dial tcp 10.0.0.1:5432"],
    ["kube-dns", "The kube-dns service"],
    ["dns", "kube-dns"],
    ["SQLSTATE 53300", "FATAL (SQLSTATE `53300`)"],
    ["docker", "du -sh /var/lib/docker/overlay2"],
    ["query", "slow queries"],
    ["imagepullsecrets", "imagePullSecrets"],
    ["statefulset", "StatefulSets"],
    ["pvcs", "two PVCs are pending"],
    ["pvc", "two PVCs are pending"],
  ])("finds each term of the query %j in the document %j", (query, document) => {
    expect(tokenize(document)).toEqual(expect.arrayContaining([...tokenize(query)]));
  });

  it("finds any identifier by its lower-case form", () => {
    const word = fc.constantFrom("Crash", "Loop", "Pull", "Secret", "Secrets", "Policy", "Policies", "OOM", "Node");
    fc.assert(
      fc.property(fc.array(word, { minLength: 2, maxLength: 4 }), (words) => {
        const identifier = words.join("");
        expect(tokenize(identifier)).toEqual(expect.arrayContaining([...tokenize(identifier.toLowerCase())]));
      }),
    );
  });

  const text = fc.string({ unit: "grapheme", maxLength: 200 });

  it("returns no term for the empty part between two kinds of punctuation", () => {
    expect(tokenize("0-+A")).toEqual(["0-+a", "0-", "0"]);
  });

  it("returns lower-case terms of 1 to 64 characters without whitespace", () => {
    fc.assert(
      fc.property(text, (value) => {
        for (const term of tokenize(value)) {
          expect(term).toBe(term.toLowerCase());
          expect(term).toMatch(/^\S{1,64}$/u);
        }
      }),
    );
  });

  it("returns the terms of two paragraphs as of each alone", () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(tokenize(`${a}\n${b}`)).toEqual([...tokenize(a), ...tokenize(b)]);
      }),
    );
  });

  it("handles 100 kB of any text", () => {
    for (const unit of ["a", "A", "aB", "-", "a-", "/_", "s", "ies", "\u0308", " "]) {
      expect(Array.isArray(tokenize(unit.repeat(100_000 / unit.length)))).toBe(true);
    }
  });
});

describe("tokenizeWords", () => {
  it.each([
    ["KubePodCrashLooping", ["kube", "pod", "crash", "loop"]],
    ["Kube pod crash looping", ["kube", "pod", "crash", "loop"]],
    ["kube_pod-crash.looping", ["kube", "pod", "crash", "loop"]],
    ["net::ERR_CONN_RESET", ["net", "err", "conn", "reset"]],
    ["registry.k8s.io/pause:3.9", ["registry", "k8s", "io", "paus", "3", "9"]],
    ["out-of-memory", ["out", "memory"]],
    ["two PVCs, HTTPServer2", ["two", "pvc", "http", "server2"]],
    ["0-+A", ["0"]],
    ["the of — …", []],
    ["", []],
  ])("returns the words of %j without whole identifiers", (text, words) => {
    expect(tokenizeWords(text)).toEqual(words);
  });

  it("returns terms of `tokenize`, in its order", () => {
    const text = fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 200 }),
      fc.string({ unit: fc.constantFrom(..."aBcDs1._-/: "), maxLength: 60 }),
    );
    fc.assert(
      fc.property(text, (value) => {
        const terms = tokenize(value).values();
        for (const word of tokenizeWords(value)) expect(terms.some((term) => term === word)).toBe(true);
      }),
    );
  });
});

describe("countTerms", () => {
  it("counts each term", () => {
    expect(countTerms(["pod", "node", "pod"])).toEqual({ pod: 2, node: 1 });
  });

  it("returns no counts without terms", () => {
    expect(countTerms([])).toEqual({});
  });

  it("handles terms named like built-in properties", () => {
    expect(Object.entries(countTerms(["constructor", "__proto__", "constructor"]))).toEqual([
      ["constructor", 2],
      ["__proto__", 1],
    ]);
  });

  it("returns counts that sum to the number of terms", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ minLength: 1, maxLength: 3 })), (terms) => {
        const counted = Object.values(countTerms(terms)).reduce((sum, count) => sum + count, 0);
        expect(counted).toBe(terms.length);
      }),
    );
  });
});
