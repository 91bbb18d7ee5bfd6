using System;
using System.Threading.Tasks;
using LicenseKey;

/// <summary>Tests what C# adds to the C library, whose own tests run the vectors. Exits with 1 if a test fails.</summary>
internal static class Tests
{
    private const string Key = @"-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAP/J5JENb604swTUki5l94NJkg1plNStuMjHQ+wOSK5Q=\n-----END PUBLIC KEY-----\n";

    private static string Options(string more = "") =>
        "{\"base_url\":\"http://127.0.0.1:1\",\"product_id\":1,\"api_key\":\"pk\",\"public_key\":\"" + Key + "\",\"timeout_ms\":500,\"retry_delay_ms\":0" + more + "}";

    private static void Equal<Value>(Value expected, Value seen)
    {
        if (!Equals(expected, seen)) throw new Exception("expected " + expected + ", but it was " + seen);
    }

    private static void Throws<Problem>(Action action, string text) where Problem : Exception
    {
        try
        {
            action();
        }
        catch (Problem problem)
        {
            if (problem.Message.Contains(text)) return;
            throw;
        }
        throw new Exception("nothing was thrown");
    }

    private static async Task Run()
    {
        Throws<ArgumentException>(() => new LicenseClient("no JSON"), "JSON object");
        Throws<ArgumentException>(() => new LicenseClient(Options(",\"nonsense\":1")), "nonsense");
        using (var license = new LicenseClient(Options(",\"fingerprint\":\"ünlikely\"")))
        {
            Equal("device", license.Check()["fault.kind"]);
        }
        var options = new LicenseOptions("http://127.0.0.1:1", 1, "pk", Key.Replace("\\n", "\n"))
        {
            Fingerprint = "12345678",
            Timeout = TimeSpan.FromMilliseconds(500),
            RetryDelay = TimeSpan.Zero,
            Grace = TimeSpan.FromHours(36),
            ReleaseVersion = "1.0.0 \"beta\"",
            ReleasedAt = new DateTimeOffset(2027, 6, 1, 2, 0, 0, TimeSpan.FromHours(2)),
        };
        Throws<ArgumentException>(() => new LicenseClient(new LicenseOptions("x", 1, "pk", "no key")), "base_url");
        Throws<ArgumentNullException>(() => new LicenseClient((LicenseOptions)null), "options");
        var client = new LicenseClient(options);
        var canceled = new System.Threading.CancellationToken(true);
        try
        {
            await client.CheckAsync(canceled);
            throw new Exception("the call was not canceled");
        }
        catch (OperationCanceledException)
        {
        }
        Equal(null, client.State.Status);
        Equal("unbound", (await client.CheckAsync()).Status);
        Equal(1UL, client.Changes);
        Equal(false, client.IsLicensed || client.Has("export") || client.Covers("1.0.0", DateTimeOffset.Now));
        Equal("unreachable", client.Activate("AAAAA-BBBBB", "Ada’s 💻")["fault.kind"]);
        Equal("key", client.Activate(" ")["field"]);
        Equal("failed", (await client.LatestAsync(platform: "windows")).Status);
        Equal("ref", (await client.ReleaseDeviceAsync(" "))["field"]);
        Throws<ArgumentNullException>(() => client.Activate(null), "key");
        Throws<ArgumentException>(() => client.Activate("a\0b"), "U+0000");
        Equal("request", client.OfflineRequest("AAAAA-BBBBB").Status);
        Equal("invalid_token", client.ImportToken("nonsense").Status);
        client.Dispose();
        client.Dispose();
        Throws<ObjectDisposedException>(() => client.Check(), "");
        Equal(3, LicenseClient.Version.Split('.').Length);
    }

    private static int Main()
    {
        Run().GetAwaiter().GetResult();
        Console.WriteLine("passed");
        return 0;
    }
}
