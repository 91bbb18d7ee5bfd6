using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using LicenseKey;

/// <summary>
/// Tests what C# adds to the C library, whose own tests run the vectors. The arguments are the paths of the files with
/// behaviour vectors. Exits with 1 if a test fails.
/// </summary>
internal static class Tests
{
    private const string Key = "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAP/J5JENb604swTUki5l94NJkg1plNStuMjHQ+wOSK5Q=\n-----END PUBLIC KEY-----\n";

    private static LicenseOptions Options() => new LicenseOptions("http://127.0.0.1:1", 1, "pk", Key)
    {
        Fingerprint = DeviceFingerprint.Of("12345678"),
        Timeout = TimeSpan.FromMilliseconds(500),
        RetryDelay = TimeSpan.Zero,
        Grace = TimeSpan.FromHours(36),
        ReleaseVersion = "1.0.0 \"beta\"",
        ReleasedAt = new DateTimeOffset(2027, 6, 1, 2, 0, 0, TimeSpan.FromHours(2)),
    };

    private static void Equal<Value>(Value expected, Value seen)
    {
        if (!Equals(expected, seen)) throw new Exception("expected " + expected + ", but it was " + seen);
    }

    private static async Task Throws<Problem>(Func<Task> action, string text = "") where Problem : Exception
    {
        try
        {
            await action();
        }
        catch (Problem problem)
        {
            Equal(text, problem.Message.Contains(text) ? text : problem.Message);
            return;
        }
        throw new Exception("no " + typeof(Problem).Name + " was thrown");
    }

    private static Task Throws<Problem>(Action action, string text = "") where Problem : Exception => Throws<Problem>(() => Task.Run(action), text);

    /// <summary>If this fails, an option has no effect, or a wrong option is not named.</summary>
    private static async Task TestOptions()
    {
        await Throws<ArgumentException>(() => new LicenseClient(new LicenseOptions("x", 1, "pk", Key)), "base_url");
        await Throws<ArgumentException>(() => new LicenseClient(new LicenseOptions("http://127.0.0.1:1", 1, "pk", "no key")), "public_key");
        await Throws<ArgumentNullException>(() => new LicenseClient(null), "options");
        var options = Options();
        options.Fingerprint = DeviceFingerprint.Of("ünlikely");
        using (var license = new LicenseClient(options)) Equal(FaultKind.Device, ((OfflineWithoutToken)license.Check()).Fault.Kind);
        options.WarningsToStandardError = true;
        foreach (var fingerprint in new[] { DeviceFingerprint.Machine, DeviceFingerprint.Random, DeviceFingerprint.ForApp("aurora-notes") })
        {
            options.Fingerprint = fingerprint;
            new LicenseClient(options).Dispose();
        }
        Equal(3, LicenseClient.Version.Split('.').Length);
    }

    /// <summary>If this fails, an app gets a wrong type, or an exception for a user's mistake.</summary>
    private static async Task TestCalls()
    {
        var license = new LicenseClient(Options());
        Equal(null, license.State);
        var first = await license.CheckAsync();
        Equal(null, ((Unbound)first).Key);
        Equal(first, license.State);
        Equal(1UL, license.Changes);
        Equal(false, license.IsLicensed || first.IsLicensed || license.Has("export") || license.Covers("1.0.0", DateTimeOffset.Now));
        Equal(FaultKind.Unreachable, ((OfflineWithoutToken)license.Activate("AAAAA-BBBBB", "Ada’s 💻")).Fault.Kind);
        Equal(FaultKind.Unreachable, ((Failed)await license.LatestAsync(platform: "windows")).Fault.Kind);
        Equal(true, license.OfflineRequest("AAAAA-BBBBB") is OfflineRequest request && request.Text.StartsWith("LKS1-REQUEST."));
        foreach (var token in new[] { "nonsense", "a\0b", "\ud83d" }) Equal("malformed", ((InvalidToken)license.ImportToken(token)).Problem);
        var inputs = new Dictionary<string, Result>
        {
            { "key", license.Activate(" ") },
            { "name", await license.ActivateAsync("AAAAA-BBBBB", name: "a\0b") },
            { "platform", await license.TrialAsync(platform: "\ud83d!") },
            { "customer_email", license.Trial(customerEmail: "\udcbb") },
            { "ref", await license.ReleaseDeviceAsync(" ") },
            { "meter", license.Consume(" ", 1) },
            { "amount", license.Consume("exports", 0) },
            { "id", await license.ConsumeAsync("exports", 1, "short") },
        };
        foreach (var input in inputs) Equal(input.Key, ((InvalidInput)input.Value).Field);
        await Throws<ArgumentNullException>(() => license.Activate(null), "key");
        Equal("no_key", ((UsageRefused)license.Consume("exports", 1)).Reason);
        Equal("no_key", ((UsageRefused)await license.MetersAsync()).Reason);
        Equal(0, ((PendingAmounts)license.Pending()).Amounts.Count);
        Equal(null, license.Limit("projects"));
        Equal(false, (await license.ForgetAsync()).Freed);
        await license.CloseAsync(release: true);
        await license.DisposeAsync();
        license.Dispose();
        await Throws<ObjectDisposedException>(() => license.Check());
    }

    /// <summary>If this fails, a window hangs until a request has ended, or a seat that was just taken is lost.</summary>
    private static async Task TestCancellation()
    {
        var silent = new TcpListener(IPAddress.Loopback, 0); // It accepts no connection, so a request gets no response.
        silent.Start();
        var options = new LicenseOptions("http://" + silent.LocalEndpoint, 1, "pk", Key) { Fingerprint = DeviceFingerprint.Of("12345678"), Timeout = TimeSpan.FromMinutes(5) };
        using (var license = new LicenseClient(options))
        {
            await Throws<OperationCanceledException>(() => license.CheckAsync(new CancellationToken(true)));
            Equal(null, license.State);
            using (var source = new CancellationTokenSource())
            {
                var call = license.ActivateAsync("AAAAA-BBBBB", cancellation: source.Token);
                source.Cancel();
                await Throws<OperationCanceledException>(() => call);
            }
            silent.Stop(); // Now the connection breaks, and the work, which continues in the background, has a result.
            while (license.State == null) await Task.Delay(10);
        }
    }

    /// <summary>If this fails, a user can't sign in, or a dialog that was closed waits for ten minutes.</summary>
    private static async Task TestSignIn()
    {
        var service = new TcpListener(IPAddress.Loopback, 0);
        service.Start();
        var options = new LicenseOptions("http://" + service.LocalEndpoint, 1, "pk", Key) { Fingerprint = DeviceFingerprint.Of("12345678"), Timeout = TimeSpan.FromMinutes(1) };
        using (var license = new LicenseClient(options))
        using (var source = new CancellationTokenSource())
        {
            var shown = new List<string>();
            var call = license.ActivateInBrowserAsync(shown.Add, shown.Add, cancellation: source.Token);
            await Respond(service, "201 Created", "{\"request\":\"secret\",\"user_code\":\"7KQ2-9MXB\",\"url\":\"https://example.com/#a\",\"interval\":0}");
            await Respond(service, "200 OK", "{\"status\":\"denied\"}");
            Equal(true, await call is Denied);
            Equal("7KQ2-9MXB https://example.com/#a", string.Join(" ", shown));
            var canceled = license.ActivateInBrowserAsync(code => source.Cancel(), shown.Add, cancellation: source.Token);
            await Respond(service, "201 Created", "{\"request\":\"secret\",\"user_code\":\"7KQ2-9MXB\",\"url\":\"https://example.com/#a\",\"interval\":3600}");
            await Throws<OperationCanceledException>(() => canceled);
            Equal("name", ((InvalidInput)await license.ActivateInBrowserAsync(shown.Add, shown.Add, name: "a\nb")).Field);
        }
        service.Stop();
    }

    /// <summary>Responds to the next request.</summary>
    private static async Task Respond(TcpListener service, string status, string body)
    {
        using (var connection = await service.AcceptTcpClientAsync())
        using (var stream = connection.GetStream())
        {
            var request = "";
            var bytes = new byte[4096];
            while (!request.EndsWith("}")) request += Encoding.UTF8.GetString(bytes, 0, await stream.ReadAsync(bytes, 0, bytes.Length));
            var response = Encoding.UTF8.GetBytes("HTTP/1.1 " + status + "\r\nConnection: close\r\nContent-Length: " + body.Length + "\r\n\r\n" + body);
            await stream.WriteAsync(response, 0, response.Length);
        }
    }

    /// <summary>If this fails, a window shows an old state.</summary>
    private static async Task TestEvents()
    {
        using (var license = new LicenseClient(Options()))
        {
            var changes = new TaskCompletionSource<LicenseState>();
            EventHandler<LicenseState> handler = (sender, shown) => changes.TrySetResult(shown);
            license.StateChanged += handler;
            var state = license.Check();
            Equal(state, await changes.Task);
            license.StateChanged -= handler;
        }
    }

    /// <summary>Reads all results and states in a file of vectors.</summary>
    private static IEnumerable<(JsonObject Found, Result Result)> Results(string path)
    {
        var cases = JsonObject.Parse(File.ReadAllText(path)).List("cases").Cast<JsonObject>();
        foreach (var step in cases.SelectMany(found => found.List("steps")).Cast<JsonObject>())
        {
            var isUsage = step.Text("call") == "consume" || step.Text("call") == "meters";
            if (step.Object("result") is JsonObject result) yield return (result, isUsage ? Result.ReadUsage(result) : Result.Read(result));
            if (step.Object("state") is JsonObject state) yield return (state, Result.Read(state));
        }
    }

    /// <summary>If this fails, an app gets an exception for a result that the vectors contain, or the package lacks a value.</summary>
    private static void TestResults(string[] paths)
    {
        var classes = new HashSet<Type>();
        foreach (var step in paths.SelectMany(Results))
        {
            var found = step.Found;
            var result = step.Result;
            classes.Add(result.GetType());
            Equal(found.Text("status"), result.Status);
            if (result is Licensed licensed)
            {
                Equal(found.Object("license").Text("expires_at"), LicenseOptions.Timestamp(licensed.License.ExpiresAt) ?? "");
                Equal(found.Object("limits")?.Number("projects") ?? 0, licensed.Limits.TryGetValue("projects", out var limit) ? limit : 0);
            }
            if (result is Consumed consumed) Equal(found.Object("meter").Number("used"), consumed.Meter.Used);
        }
        var all = typeof(Result).Assembly.GetTypes().Where(type => type.IsSubclassOf(typeof(Result)) && !type.IsAbstract);
        Equal("", string.Join(", ", all.Where(type => !classes.Contains(type)).Select(type => type.Name)));

        var json = "{\"status\":\"no_seats\",\"seats\":{\"used\":3,\"max\":3}}";
        Equal(Result.Parse(json), Result.Parse(json));
        Equal(false, Result.Parse(json).Equals(Result.Parse(json.Replace('3', '4'))));
        var latest = (Latest)Result.Parse("{\"status\":\"latest\",\"update\":{\"released_at\":\"2027-01-10T09:00:00.500Z\",\"notes\":\"a \\\"\\u00e9\\\"\\n\",\"artifacts\":[{\"size\":9007199254740991}]},\"newest\":null,\"headers\":{\"x-api-key\":\"pk\"}}");
        Equal("a \"é\"\n 9007199254740991 pk", latest.Update.Notes + " " + latest.Update.Artifacts[0].Size + " " + latest.Headers["x-api-key"]);
        Equal(new DateTimeOffset(2027, 1, 10, 9, 0, 0, 500, TimeSpan.Zero), latest.Update.ReleasedAt);
        foreach (var wrong in new[] { "", "null", "{\"a\":1", "{\"a\"}", "{\"a\":\"\\u00", "[]", "{} {}", "{\"a\":x}" })
        {
            Throws<InvalidOperationException>(() => Result.Parse(wrong)).GetAwaiter().GetResult();
        }
    }

    private static async Task Run(string[] vectors)
    {
        await TestOptions();
        await TestCalls();
        await TestCancellation();
        await TestSignIn();
        await TestEvents();
        TestResults(vectors);
    }

    private static int Main(string[] arguments)
    {
        Run(arguments).GetAwaiter().GetResult();
        Console.WriteLine("passed");
        return 0;
    }
}
