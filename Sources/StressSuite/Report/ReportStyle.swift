/// The page's style sheet.
///
/// The colours of text have a contrast of at least 4.5 to their background.
enum ReportStyle {
    static let sheet = """
        :root { color-scheme: light dark; --page: #f6f5f2; --card: #ffffff; --ink: #1d1c1a; --soft: #5f5d58;
          --line: #e1ded7; --grid: #ebe8e1; --blue: #1f66ad; --wash: #1f66ad1f; --good: #17703b; --bad: #b3261e;
          --badwash: #fbe9e7; --amber: #8a5300; --code: #f1efea; }
        @media screen and (prefers-color-scheme: dark) { :root { --page: #131416; --card: #1b1d20; --ink: #ecebe8;
          --soft: #a9a7a1; --line: #33363b; --grid: #282b2f; --blue: #74b3f0; --wash: #74b3f026; --good: #6fd195;
          --bad: #ff9388; --badwash: #3a201e; --amber: #f0b45c; --code: #25282c; } }

        /* The page */
        * { box-sizing: border-box; }
        body { margin: 0; background: var(--page); color: var(--ink); -webkit-text-size-adjust: 100%;
          font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif; }
        main { max-width: 1100px; margin: 0 auto; padding: 40px 16px 64px; }
        h1 { margin: 0; font-size: clamp(28px, 5.5vw, 44px); line-height: 1.12; letter-spacing: -0.02em;
          text-wrap: balance; }
        h2 { margin: 44px 0 4px; font-size: 22px; letter-spacing: -0.01em; }
        h3 { margin: 0 0 6px; font-size: 16px; }
        p { margin: 0; overflow-wrap: anywhere; }
        h1.good .sign { color: var(--good); }
        h1.bad, h1.bad .sign { color: var(--bad); }
        .eyebrow { color: var(--soft); font-size: 14px; margin-bottom: 6px; }
        .lead { max-width: 46em; margin-top: 12px; font-size: 18px; color: var(--soft); }
        .note { color: var(--soft); font-size: 14px; max-width: 60em; margin-bottom: 12px; }
        h2 + .card, h2 + .panels { margin-top: 12px; }
        .warning { margin-top: 12px; padding-left: 12px; border-left: 3px solid var(--amber); }
        .empty { color: var(--soft); }

        /* Parts of the page */
        .card { min-width: 0; padding: 16px; background: var(--card); border: 1px solid var(--line);
          border-radius: 12px; }
        .card + .card { margin-top: 12px; }
        .panels { display: grid; gap: 12px; grid-template-columns: repeat(auto-fill, minmax(min(100%, 320px), 1fr)); }
        .panels .card { margin: 0; }
        .panels.two { grid-template-columns: repeat(auto-fit, minmax(min(100%, 320px), 1fr)); }
        .aside { font-weight: 400; color: var(--soft); font-size: 14px; }
        .tiles { display: grid; gap: 12px; margin: 28px 0 0;
          grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); }
        .tiles div { display: flex; flex-direction: column-reverse; justify-content: flex-end; padding: 14px 16px;
          background: var(--card); border: 1px solid var(--line); border-radius: 12px; }
        .tiles dd { margin: 0; font-size: 26px; font-weight: 650; line-height: 1.2; letter-spacing: -0.01em;
          font-variant-numeric: tabular-nums; }
        .tiles dt { color: var(--soft); font-size: 13px; line-height: 1.35; }
        pre { margin: 8px 0 0; padding: 12px; max-height: 24em; overflow: auto; border-radius: 8px;
          background: var(--code); font: 13px/1.5 ui-monospace, "SF Mono", Menlo, "DejaVu Sans Mono", monospace; }
        code { font: 0.92em/1.5 ui-monospace, "SF Mono", Menlo, "DejaVu Sans Mono", monospace; overflow-wrap: anywhere; }
        details { margin-top: 10px; }
        summary { cursor: pointer; font-weight: 600; }
        .command { margin-top: 14px; color: var(--soft); font-size: 15px; }
        .command code { color: var(--ink); background: var(--code); padding: 3px 6px; border-radius: 6px;
          -webkit-box-decoration-break: clone; box-decoration-break: clone; }
        .word { white-space: nowrap; }
        :focus-visible { outline: 2px solid var(--blue); outline-offset: 2px; }

        /* Tables and lists */
        table { width: 100%; border-collapse: collapse; font-size: 15px; font-variant-numeric: tabular-nums; }
        th, td { padding: 7px 8px; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap; }
        tr > :first-child { text-align: left; padding-left: 0; }
        tr > :last-child { padding-right: 0; }
        tbody tr:last-child > * { border-bottom: 0; }
        thead th { color: var(--soft); font-weight: 500; font-size: 13px; }
        .errors { margin: 0; padding: 0; list-style: none; }
        table ~ h3 { margin-top: 18px; }
        .errors li { padding: 5px 0; overflow-wrap: anywhere; }
        .checks { margin: -4px 0; padding: 0; list-style: none; }
        .checks li { display: grid; grid-template-columns: 76px 1fr; gap: 12px; padding: 10px 0;
          border-bottom: 1px solid var(--line); align-items: start; }
        .checks li:last-child { border-bottom: 0; }
        .chip { font-size: 13px; font-weight: 650; line-height: 24px; text-align: center; border-radius: 12px;
          border: 1px solid currentColor; }
        .passed .chip { color: var(--good); }
        .failed .chip { color: var(--bad); background: var(--badwash); }
        .skipped .chip { color: var(--amber); }
        .detail { color: var(--soft); font-size: 14px; }
        .values { display: grid; grid-template-columns: repeat(4, auto); justify-content: space-between; gap: 4px 12px;
          margin: 10px 0 0; }
        .values dt, .plan dt { color: var(--soft); font-size: 13px; }
        .values dd, .plan dd { margin: 0; font-variant-numeric: tabular-nums; }
        .plan { display: grid; gap: 12px 24px; margin: 0;
          grid-template-columns: repeat(auto-fill, minmax(min(100%, 300px), 1fr)); }
        .plan dd { overflow-wrap: anywhere; }

        /* Plots */
        .plot { display: block; width: 100%; height: auto; max-width: 460px; overflow: visible; font-size: 12px; }
        .plot.wide, .meter .plot { max-width: none; }
        .plot.narrow { display: none; }
        .label, .series-label { fill: var(--soft); }
        .value { fill: var(--ink); font-variant-numeric: tabular-nums; }
        .value, .series-label { paint-order: stroke; stroke: var(--card); stroke-width: 5px; stroke-linejoin: round; }
        .grid { stroke: var(--grid); }
        .axis { stroke: var(--soft); stroke-opacity: 0.6; }
        .series { fill: none; stroke: var(--blue); stroke-width: 2; stroke-linejoin: round; stroke-linecap: round; }
        .area { fill: var(--wash); }
        .bar, .dot { fill: var(--blue); }
        .mark { stroke: var(--ink); stroke-opacity: 0.75; stroke-dasharray: 3 3; }
        .ideal { fill: none; stroke: var(--soft); stroke-width: 1.5; stroke-dasharray: 5 4; }
        .error { fill: var(--amber); }
        .kill { fill: var(--bad); }
        .hover { fill: transparent; }
        .hover:hover { fill: var(--wash); }
        .track { fill: var(--grid); }

        /* Narrow screens, and paper */
        @media (max-width: 700px) {
          main { padding-top: 24px; }
          .card { padding: 14px 12px; }
          .plot.wide { display: none; }
          .plot.narrow { display: block; max-width: 560px; margin: 0 auto; }
          .panels .plot { margin: 0 auto; }
          .figures, .figures tbody { display: block; }
          .figures thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
          .figures tr { display: grid; grid-template-columns: repeat(3, 1fr); gap: 6px 12px; padding: 10px 0;
            border-bottom: 1px solid var(--line); }
          .figures tbody tr:last-child { border-bottom: 0; }
          .figures tr > * { display: block; border: 0; padding: 0; text-align: left; }
          .figures tr > th { grid-column: 1 / -1; }
          .figures td::before { content: attr(data-label); display: block; color: var(--soft); font-size: 12px; }
          .tiles { grid-template-columns: repeat(2, 1fr); }
          .values { grid-template-columns: repeat(2, 1fr); }
        }
        @media print {
          body { background: none; font-size: 11pt; }
          main { max-width: none; padding: 0; }
          .card, .tiles div, tr, li { break-inside: avoid; }
          h2 { break-after: avoid; }
          pre { max-height: none; white-space: pre-wrap; }
        }
        """
}
