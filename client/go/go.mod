module example.com/license-key-service/client/go

go 1.23
