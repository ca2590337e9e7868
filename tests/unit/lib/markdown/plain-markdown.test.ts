import { describe, expect, it } from "vitest";
import { plainMarkdown } from "../../../../lib/markdown/plain-markdown.ts";

const plain = (...lines: readonly string[]) => plainMarkdown(lines.join("\n")).map(({ text }) => text);

describe("a line", () => {
  it.each([
    ["Slow.<!-- TODO: why? --> Look.", "Slow. Look."],
    ['See [limits]({{< relref "./limits.md" >}}).', "See [limits](./limits.md)."],
    ["{{% notice %}}Slow.{{% /notice %}}", "Slow."],
    ["{% raw %}{{ $labels.pod }}{% endraw %} is slow.", "{{ $labels.pod }} is slow."],
    ["Read it.{: .lead }", "Read it."],
    ['Run <%= link_to("x") %> it.', "Run  it."],
    ["[![build](https://a.example/b.svg)](https://a.example) Slow.", " Slow."],
    ["Look: ![graph](graph.png)", "Look:"],
    ["First.<br/>Second.", "First. Second."],
    ["It is <b>slow</b>, see `<pod>` and <pod>.", "It is slow, see `<pod>` and <pod>."],
    ["Type <code>df -h</code> &amp; wait.", "Type `df -h` & wait."],
    [":warning: Slow. Port 10:20:30.", "Slow. Port 10:20:30."],
    ["`{{< keep >}} <br> ![x](y)`", "`{{< keep >}} <br> ![x](y)`"],
    ['Wait until {job="web"} > 5.', 'Wait until {job="web"} > 5.'],
    ["> Quoted.", "Quoted."],
    ["> 1. Drain the node", "1. Drain the node"],
    ["> 5 is too many", "> 5 is too many"],
    ["> **_NOTE:_** It is _**slow**_.", "**NOTE:** It is **slow**."],
    ["• Disk", "- Disk"],
    ["Alert node\\_disk\\_full", "Alert node_disk_full"],
    ["[TOC]", ""],
    ["export const Owner = () => <b>a</b>;", ""],
    ["---", ""],
    ["See [[Mail relay|the relay]], [[Hosts/Mail#Queue]] and [[#Limits]].", "See the relay, Mail and Limits."],
    ["Full: ![[graph.png|400]]", "Full:"],
    ["`[[a]]` and [[ -f x ]]", "`[[a]]` and [[ -f x ]]"],
    ["It is ==full== if a == b. ^disk-full", "It is full if a == b."],
    ["Slow. %%ask Tom%% Look at 5 %.", "Slow.  Look at 5 %."],
    ["for %%f in (*.log) do type %%f", "for %%f in (*.log) do type %%f"],
    ["See {doc}`the limits <limits>`, {ref}`quota` and {command}`df`.", "See the limits, quota and `df`."],
    ["(disk-full)=", ""],
  ])("%j becomes %j", (line, text) => {
    expect(plain(line)).toEqual([text]);
  });

  it("keeps its number, also of comments and definitions over several lines", () => {
    const lines = [
      "# A <!-- one",
      "two -->",
      "",
      "[Look][1] or [the docs].",
      "",
      "[1]: https://a.example",
      "[the docs]: b.md",
    ];
    expect(plainMarkdown(lines.join("\n"))).toEqual(
      ["# A ", "", "", "[Look](https://a.example) or [the docs](b.md).", "", "", ""].map((text, i) => ({
        text,
        line: i + 1,
      })),
    );
  });

  it("of MyST has no options, and its blocks are text or code", () => {
    expect(
      plain(
        "`````{tab-set}",
        "````{tab-item} Linux",
        ":sync: linux",
        "",
        "```{code-block} sh",
        ":linenos:",
        "df -h",
        "```",
        "````",
        "`````",
        "```{note}",
        ":class: dropdown",
        "It is slow.",
        "```",
        ":::{admonition} First",
        ":class: tip",
        "Look.",
        ":::",
      ),
    ).toEqual([
      "",
      "Linux:",
      "",
      "",
      "```sh",
      "",
      "df -h",
      "```",
      "",
      "",
      "",
      "",
      "Note: It is slow.",
      "",
      "",
      "",
      "First: Look.",
      "",
    ]);
  });

  it("of code stays as it is, also in the tags of Jekyll and Hugo", () => {
    for (const [open, close] of [
      ["{% highlight bash %}", "{% endhighlight %}"],
      ["{{< highlight sh >}}", "{{< /highlight >}}"],
    ] as const)
      expect(plain(open, "# list pods", "kubectl get pods", close, "## Symptoms")).toEqual([
        "```",
        "# list pods",
        "kubectl get pods",
        "```",
        "## Symptoms",
      ]);
  });

  it("of <pre> is code", () => {
    const step = ["1. Look: <pre class='b'><code>df &amp;&amp; a", "echo <i>b</i></code></pre>", "<pre>without an end"];
    expect(plain(...step)).toEqual(["1. Look: ", "```", "df && a", "echo b", "```", "without an end"]);
  });

  it("of a heading and of each item of a list in HTML is one of its own, but in a cell of a table", () => {
    const list = "<ol><li><p>Restart it</p></li><li>Scale up</li></ol>";
    expect(plain(`<h2 id="f">Fix</h2>${list}`)).toEqual(["## Fix", "- Restart it", "- Scale up"]);
    expect(plain("<li>", "  Look", "</li>").filter((line) => line !== "")).toEqual(["- Look"]);
    expect(plain(`| a | ${list} |`)).toEqual(["| a |  Restart it ; Scale up |"]);
  });

  it("within a tab of MkDocs is no code", () => {
    expect(plain('=== "Linux"', "", "    1. Check the disk")).toContain("1. Check the disk");
  });

  it("of code stays as it is", () => {
    const code = ["```sh", "# <b>x</b> <!-- y -->", "a", "---", "```"];
    expect(plain(...code)).toEqual(code);
  });
});

describe("a heading", () => {
  it("of a role needs no blank after its mark", () => {
    expect(plain("#Resolution", "#oncall", "#Fixing it")).toEqual(["# Resolution", "#oncall", "#Fixing it"]);
  });

  it.each([
    ["## Fix {#fix}", "## Fix"],
    ["## `DiskFull` [docs](a.md)", "## DiskFull docs"],
    ["## **Fix**", "## Fix"],
    ["###Fix", "### Fix"],
    ["#tag", "#tag"],
  ])("%j becomes %j", (line, text) => {
    expect(plain(line)).toEqual([text]);
  });

  it("may be underlined", () => {
    expect(plain("Disk full", "=====", "", "Fix", "---", "", "Text.", "---", "", "- a", "---")).toEqual([
      "# Disk full",
      "",
      "",
      "## Fix",
      "",
      "",
      "Text.",
      "",
      "",
      "- a",
      "",
    ]);
  });
});

describe("a list that does not start its lines", () => {
  it("does so below a heading or a label, and stays a part of a sentence", () => {
    expect(plain("Causes:", " * full", "   - logs", " * slow")).toEqual(["## Causes", "* full", "  - logs", "* slow"]);
    const ofSentence = ["Check that these ports are open:", "", "   - 80", "   - 443"];
    expect(plain(...ofSentence)).toEqual(ofSentence);
  });
});

describe("an admonition", () => {
  it.each([
    ["MkDocs", ['!!! warning "Mind this"', "    It is slow.", "    Wait.", "", "Next."]],
    ["Docusaurus", [":::warning[Mind this]", "It is slow.", "Wait.", ":::", "Next."]],
    ["a tab", ['<TabItem value="a" label="Mind this">', "It is slow.", "Wait.", "</TabItem>", "Next."]],
    ["details", ["<details><summary>Mind this</summary>", "It is slow.", "Wait.", "</details>", "Next."]],
  ])("of %s gives its title to its text", (_, lines) => {
    expect(plain(...lines)).toEqual(["", "Mind this: It is slow.", "Wait.", "", "Next."]);
  });

  it("of GitHub is named by its type, and its code is code", () => {
    expect(plain("> [!NOTE]", "> Look:", "> ```", "> df <b>", "> ```")).toEqual([
      "",
      "Note: Look:",
      "```",
      "df <b>",
      "```",
    ]);
  });

  it("above a list has a line of its own if it has a title", () => {
    expect(plain("!!! tip", "    - a")).toEqual(["", "- a"]);
    expect(plain('??? tip "Order"', "    - a")).toEqual(["Order:", "- a"]);
  });
});

describe("indented lines", () => {
  it("are code below a blank line", () => {
    expect(plain("Look:", "", "    $ df", "", "    100%", "", "Next.")).toEqual([
      "Look:",
      "```",
      "$ df",
      "",
      "100%",
      "```",
      "Next.",
    ]);
  });

  it("belong to a list item or to the paragraph above them", () => {
    const lines = ["- Look.", "", "    Then wait.", "", "Text", "    goes on."];
    expect(plain(...lines)).toEqual(lines);
  });
});

describe("a table", () => {
  it("of alerts becomes a section for each row, below those of its section", () => {
    const lines = [
      "## Alerts",
      "",
      "| Alert | Severity | Meaning | Action |",
      "|---|:-:|---|---|",
      "| `DiskFull` | page | It is full. | Extend it. |",
      "| QueueLagHigh | n/a | It lags. | TBD |",
      "",
      "After it.",
      "## Next",
    ];
    expect(plainMarkdown(lines.join("\n")).filter(({ text }) => text !== "")).toEqual([
      { text: "## Alerts", line: 1 },
      { text: "After it.", line: 8 },
      { text: "### DiskFull", line: 5 },
      { text: "Severity: page", line: 5 },
      { text: "#### Meaning", line: 5 },
      { text: "It is full.", line: 5 },
      { text: "#### Action", line: 5 },
      { text: "Extend it.", line: 5 },
      { text: "### QueueLagHigh", line: 6 },
      { text: "#### Meaning", line: 6 },
      { text: "It lags.", line: 6 },
      { text: "## Next", line: 9 },
    ]);
  });

  it("of alerts keeps no cell that is nothing but a link, and reads a summary as the meaning", () => {
    const link = "[runbook.md#a](https://shop.example/runbook.md#a)";
    const lines = ["|Name|Summary|Runbook|", "|---|---|---|", `|QueueLagHigh|It lags.|${link}|`];
    expect(plain(...lines).filter((line) => line !== "")).toEqual(["## QueueLagHigh", "### Meaning", "It lags."]);
  });

  it("of errors with what to do becomes a section for each row", () => {
    const lines = ["| Error message | Cause | Fix |", "|---|---|---|", "| `no space left` | logs | `prune` |"];
    const rows = ["## no space left", "### Cause", "logs", "### Fix", "`prune`"];
    expect(plain(...lines).filter((line) => line !== "")).toEqual(rows);
  });

  it("of alerts makes items of a cell that lists several things", () => {
    const lines = ["| Alert | Causes |", "|---|---|", "| DiskFull | logs; `a; b`; dumps |", "| HostDown | power |"];
    const rows = ["## DiskFull", "### Causes", "- logs", "- `a; b`", "- dumps", "## HostDown", "### Causes", "power"];
    expect(plain(...lines).filter((line) => line !== "")).toEqual(rows);
  });

  it.each([
    ["of something else", ["| Port | Meaning |", "|---|---|", "| 80 | web |"]],
    ["that links to the texts of alerts", ["| Alert | Impact |", "|---|---|", "| [DiskFull](a.md) | bad |"]],
    ["of alerts without a role", ["| Alert | Owner |", "|---|---|", "| DiskFull | dana |"]],
  ])("%s stays as it is", (_, lines) => {
    expect(plain(...lines)).toEqual(lines);
  });
});

describe("a table of HTML", () => {
  it("is one of Markdown, but not in code", () => {
    const html = [
      "<table>",
      "<tr><th>Alert</th><th>Action</th></tr>",
      '<tr class="a"><td>DiskFull</td><td>Prune it <code>a|b</code></td></tr>',
      "</table>",
    ];
    expect(plain(...html)).toEqual(plain("| Alert | Action |", "|---|---|", "| DiskFull | Prune it `a\\|b` |", ""));
    expect(plain("```", ...html, "```")).toEqual(["```", ...html, "```"]);
  });
});

describe("a definition", () => {
  it("is the text of its term, as of a label", () => {
    expect(plain("Cause", ":   Full.", ":   Old.", "", "Owner", ": Ops", "", ": -)")).toEqual([
      "## Cause",
      "- Full.",
      "- Old.",
      "",
      "## Owner",
      "- Ops",
      "",
      ": -)",
    ]);
  });
});

describe("a label", () => {
  it("in a list of fields becomes a heading where one of them names a role", () => {
    expect(plain("# DiskFull", "", "* *Severity*: `critical`", "* *Action*: Prune it.")).toEqual([
      "# DiskFull",
      "",
      "## Severity",
      "`critical`",
      "## Action",
      "Prune it.",
    ]);
  });

  it("that introduces causes among steps parts them from the steps, once in a text", () => {
    const causes = ["The alert can have a variety of causes, including:", "", "- The node is down."];
    expect(plain("## Mitigation", "", ...causes, "", "## Impact", "", "A leak can cause:", "", "- Slow pods.")).toEqual(
      [
        "## Mitigation",
        "",
        "### Reasons",
        ...causes.slice(1),
        "",
        "## Impact",
        "",
        "A leak can cause:",
        "",
        "- Slow pods.",
      ],
    );
    expect(plain("## Symptoms", ...causes)).toEqual(["## Symptoms", ...causes]);
    const find = ["## Fix", "To find the cause:", "- Read the log."];
    expect(plain(...find)).toEqual(find);
  });

  it("that names a role becomes a heading below that of its section", () => {
    expect(
      plain(
        "### DiskFull",
        "**Symptoms**: Writes fail.",
        "**Note:** Seen on `db-1`.",
        "",
        "In case of **emergency**:",
        "",
        "- Raise the limit.",
        "",
        "How to **fix** it:",
        "",
        "1. **Extend it**<br />",
        "   It takes a minute.",
        "",
        "Prevention:",
        "Watch it.",
        "## Next",
        "**Reason**",
        "",
        "It is old.",
      ),
    ).toEqual([
      "### DiskFull",
      "#### Symptoms",
      "Writes fail.",
      "#### Note",
      "Seen on `db-1`.",
      "",
      "#### In case of emergency",
      "",
      "- Raise the limit.",
      "",
      "#### How to fix it",
      "",
      "1. **Extend it**",
      "   It takes a minute.",
      "",
      "#### Prevention",
      "Watch it.",
      "## Next",
      "### Reason",
      "",
      "It is old.",
    ]);
  });

  it("may be in italics", () => {
    expect(plain("*Root cause*", "", "It is old.")).toEqual(["## Root cause", "", "It is old."]);
  });

  it("may have its text behind it", () => {
    const lines = ["It is slow.", "", "Possible causes: a batch job.", "", "Remedy: stop it.", "", "Note: rare."];
    const headed = [
      "It is slow.",
      "",
      "## Possible causes",
      "a batch job.",
      "",
      "## Remedy",
      "stop it.",
      "",
      "Note: rare.",
    ];
    expect(plain(...lines)).toEqual(headed);
  });

  it("may be a list item, with what is indented below it", () => {
    const items = [
      "- **Causes**",
      "  - full disk",
      "- **Check**:",
      "  ```",
      "  df -h",
      "  ```",
      "- **Fix:** Prune it.",
    ];
    const sections = [
      "## Causes",
      "- full disk",
      "## Check",
      "```",
      "df -h",
      "```",
      "## Fix",
      "Prune it.",
      "",
      "  Next.",
    ];
    expect(plain("# Disk is full", ...items, "", "Text.", "  Next.")).toEqual([
      "# Disk is full",
      ...sections.slice(0, -1),
      "Text.",
      "  Next.",
    ]);
  });

  it.each([
    [
      "of a list that repeats it",
      ["- **Cause:** full", "- **Fix:** Prune it.", "- **Cause:** old", "- **Fix:** Renew it."],
    ],
    ["that names a thing", ["**Symptoms** are rare.", "", "**Disk full**", "", "**Note:** It is slow."]],
    ["in a sentence", ["To resolve this issue, check the following:", "", "- the disk", "", "For example:"]],
    ["in code or a list", ["```", "", "Solution:", "```", "- **Cause:** full", "- Fix:"]],
  ])("%s stays text", (_, lines) => {
    expect(plain(...lines)).toEqual(lines);
  });
});
